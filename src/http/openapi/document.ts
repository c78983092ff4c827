import { errorObject, ERRORS, statusOf, type ErrorName } from '../../domain/errors';
import { COMMON_ERRORS, type Caller, type Endpoint } from '../endpoint';
import { ENDPOINTS } from '../endpoints';
import { errorReply, unauthenticatedReply } from '../schemas/replies';
import { CALLBACKS, type Callback } from './callbacks';
import { exchangesOf, replyExamples, requestExamples } from './examples';
import { components, type Components, type JsonSchema } from './schemas';
import {
  DESCRIPTION,
  ERROR_TEXTS,
  errorTable,
  HEADERS,
  PARAMETERS,
  SECURITY,
  SECURITY_SCHEMES,
  signedText,
  TAGS,
} from './texts';

/** The version of package.json. */
const VERSION = '0.1.0';

/** GET /health/ready is the only operation with a reply other than 200 that is no error. */
const NOT_READY =
  'Temporarily unavailable: `missing` says what is not ready. Send no calls to this process now.';

type Responses = Record<string, JsonSchema>;

/** The whole HTTP interface as an OpenAPI 3.1 document: operations are `paths`, our own calls are `webhooks`. */
export function openApiDocument(baseUrl: string): JsonSchema {
  const made = components(ENDPOINTS.map((endpoint) => [operationIdOf(endpoint), endpoint.request]));
  const calls = { paths: paths(made), webhooks: webhooks(made) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'gameround',
      version: VERSION,
      summary: 'Gamerounds between operators’ wallets and game providers',
      description: `${DESCRIPTION}\n\n${errorTable()}`,
      license: { name: 'UNLICENSED', url: `${baseUrl}/docs` },
    },
    servers: [{ url: baseUrl }],
    tags: Object.values(TAGS),
    ...calls,
    components: {
      schemas: used(made.schemas, calls),
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: Object.fromEntries(
        (Object.keys(ERRORS) as ErrorName[]).map((name) => [name, errorExample(name)]),
      ),
    },
  };
}

function paths(made: Components): JsonSchema {
  return Object.fromEntries(
    ENDPOINTS.map((endpoint) => [pathOf(endpoint), { [endpoint.method]: described(endpoint, made) }]),
  );
}

function webhooks(made: Components): JsonSchema {
  return Object.fromEntries(
    CALLBACKS.map((callback) => [callback.name, { [callback.method]: calledBack(callback, made) }]),
  );
}

/** Only schemas that are referenced. The query schemas of GETs are not: they have become parameters. */
function used(schemas: Record<string, JsonSchema>, calls: JsonSchema): Record<string, JsonSchema> {
  const found = new Set<string>();
  const follow = (from: unknown): void => {
    for (const [, name] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      follow(schemas[name!]);
    }
  };
  follow(calls);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

function described(endpoint: Endpoint, made: Components): JsonSchema {
  const { caller, signed } = endpoint;
  const texts = [endpoint.description, signed === undefined ? undefined : signedText(signed)];
  const description = texts.filter((text) => text !== undefined).join('\n\n');
  return {
    operationId: operationIdOf(endpoint),
    tags: [TAGS[caller].name],
    summary: endpoint.summary,
    ...(description === '' ? {} : { description }),
    'x-signed-fields': signed,
    security: SECURITY[caller],
    ...inputOf(endpoint, made, { call: callOf(endpoint), headers: headerParameters(caller) }),
    responses: { ...repliesOf(endpoint, made), ...refusalsOf(endpoint, made) },
  };
}

function headerParameters(caller: Caller): JsonSchema[] {
  const name = caller === 'provider' ? 'RequiredRequestId' : 'RequestId';
  return caller === 'anyone' ? [] : [{ $ref: `#/components/parameters/${name}` }];
}

/** A POST takes a request body, a GET takes parameters in the query and the path. */
function inputOf(
  { method, path = '', request }: Pick<Endpoint, 'method' | 'request'> & { path?: string },
  made: Components,
  { call, headers }: { call: string; headers: JsonSchema[] },
): JsonSchema {
  if (method === 'post') {
    const content = { 'application/json': { schema: made.of(request), examples: requestExamples(call) } };
    return {
      ...(headers.length > 0 ? { parameters: headers } : {}),
      requestBody: { required: true, content },
    };
  }
  const schema = made.of(request);
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop()! : '';
  const { properties = {}, required = [] } = (made.schemas[name] ?? schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const [shown] = exchangesOf(call);
  const parameters = Object.entries(properties).map(([field, of]) => {
    const text = shown?.request[field];
    const example = of.type === 'number' && text !== undefined ? Number(text) : text;
    return {
      name: field,
      in: path.includes(`:${field}`) ? 'path' : 'query',
      required: required.includes(field),
      schema: of,
      example,
    };
  });
  return parameters.length + headers.length > 0 ? { parameters: [...headers, ...parameters] } : {};
}

function repliesOf(endpoint: Endpoint, made: Components): Responses {
  const { replies } = endpoint;
  return Object.fromEntries(
    Object.entries(replies).map(([status, body]) => {
      const isText = 'mediaType' in body;
      const content = isText
        ? { [body.mediaType]: { schema: { type: 'string' } } }
        : {
            'application/json': {
              schema: made.of(body),
              examples: replyExamples(callOf(endpoint), (of) => String(of) === status),
            },
          };
      return [
        status,
        { description: status === '200' ? 'Success.' : NOT_READY, headers: replyHeaders(status), content },
      ];
    }),
  );
}

/** Each status of a refusal, with the errors that have this status. */
function refusalsOf(endpoint: Endpoint, made: Components): Responses {
  const { caller, errors, refused, replies } = endpoint;
  const names = [...new Set([...COMMON_ERRORS[caller], ...errors])];
  const statuses = [...new Set(names.map(statusOf))].filter((status) => !(status in replies));
  return Object.fromEntries(
    statuses.sort().map((status) => {
      const those = names.filter((name) => statusOf(name) === status);
      const isHinted = those.includes('SIGNATUREWRONG');
      const schema = made.of(isHinted ? unauthenticatedReply : (refused ?? errorReply));
      const examples = {
        ...replyExamples(callOf(endpoint), (of) => of === status),
        ...examplesOf(those),
      };
      const content = { 'application/json': { schema, examples } };
      return [String(status), { description: listed(those), headers: replyHeaders(String(status)), content }];
    }),
  );
}

function calledBack(callback: Callback, made: Components): JsonSchema {
  const { to, name, method, request, errors, signed } = callback;
  const call = signed === undefined ? 'unsigned' : 'service';
  const refusal = (examples: JsonSchema): JsonSchema => ({
    'application/json': { schema: made.of(errorReply), examples },
  });
  return {
    operationId: `answer${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    tags: [TAGS[to === 'operator' ? 'operatorCallback' : 'providerCallback'].name],
    summary: callback.summary,
    description: [callback.description, ...(signed === undefined ? [] : [signedText(signed)])].join('\n\n'),
    security: SECURITY[call],
    ...inputOf({ method, request }, made, {
      call: name,
      headers: [{ $ref: '#/components/parameters/ServiceRequestId' }],
    }),
    responses: {
      200: {
        description: 'Success.',
        content: {
          'application/json': {
            schema: made.of(callback.reply),
            examples: replyExamples(name, (status) => status === 200),
          },
        },
      },
      '4XX': {
        description: errors.length > 0 ? `Refused, for example with ${listed(errors)}` : 'Refused.',
        content: refusal({
          ...replyExamples(name, (status) => status >= 400 && status < 500),
          ...examplesOf(errors.length > 0 ? errors : ['INVALIDREQUEST']),
        }),
      },
      '5XX': {
        description: 'Failed, or the outcome is unknown.',
        content: refusal(examplesOf(['INTERNALERROR'])),
      },
    },
  };
}

function replyHeaders(status: string): JsonSchema {
  const names = [
    'X-Response-Id',
    'X-Request-Id',
    ...(['429', '503'].includes(status) ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function examplesOf(names: readonly ErrorName[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
}

function listed(names: readonly ErrorName[]): string {
  return `${names.map((name) => `${name} (${ERRORS[name].id})`).join(', ')}.`;
}

function errorExample(name: ErrorName): JsonSchema {
  const { when, then } = ERROR_TEXTS[name];
  return {
    summary: `${ERRORS[name].id} ${name}`,
    description: `When: ${when}. ${then}`,
    value: { errorCode: errorObject(name) },
  };
}

/** The name of its examples. */
function callOf({ method, path }: Endpoint): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The path with OpenAPI's `{name}` in place of Koa's `:name`. */
export function pathOf({ path }: Endpoint): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function operationIdOf({ path }: Endpoint): string {
  const [first = '', ...rest] = path.split(/[^A-Za-z]+/).filter((part) => part !== '');
  return first + rest.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
}
