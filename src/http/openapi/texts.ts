import type { JsonSchema } from './schemas';

/* What the document says that no schema knows. */

export const DESCRIPTION = `The service between casino operators' wallets and game providers.

Amounts are integers in minor units of the player's currency, at most 2^53 − 1. All bodies are JSON in UTF-8,
at most 1 MiB and 64 levels deep, without the key \`__proto__\`.
Fields that are not known are left out, wrong types refused. A POST is authenticated before its shape is looked at.

A refusal has an \`errorCode\` of \`{id, msg, clientmsg}\`; \`msg\` begins with the error's name. An operator's own
errors pass through to the provider with their own ids, as status 400. A path that does not exist is 404 NOTFOUND, a
wrong method 405 NOTFOUND. Only 5xx and 429 are to be repeated.`;

export const TAGS = {
  provider: { name: 'Game engine', description: 'Calls of game providers, signed over the body.' },
  operator: { name: 'Operator', description: 'Calls of operators, signed over a list of fields.' },
  player: { name: 'Player', description: 'Calls of the game’s page; the token is all they have.' },
  anyone: { name: 'Service', description: 'For those who run the service, or read about it.' },
  operatorCallback: {
    name: 'To the operator',
    description: 'Calls that the service makes to {operator_url}.',
  },
  providerCallback: {
    name: 'To the game provider',
    description: 'Calls that the service makes to {game_url}.',
  },
} as const;

const apiKey = (name: string, description: string): JsonSchema => ({
  ...{ type: 'apiKey', in: 'header', name, description },
});

export const SECURITY_SCHEMES: JsonSchema = {
  ProviderId: apiKey('X-H-AUTH-ID', 'The game provider’s id: selects the shared secret.'),
  OperatorId: apiKey('X-H-AUTH-ID', 'The operator’s id: selects the shared secret.'),
  Timestamp: apiKey(
    'X-H-TIMESTAMP',
    'ISO 8601 date-time of the request, UTC without a zone; within the tenant’s tolerance (300 s by default).',
  ),
  BodySignature: apiKey(
    'X-H-AUTH-SIG',
    'base64(HMAC-SHA256(secret, body + `#` + X-H-TIMESTAMP)), over the body’s bytes as sent.',
  ),
  FieldSignature: apiKey(
    'X-H-AUTH-SIG',
    'base64(HMAC-SHA256(secret, fields joined by `#`)); the fields are secret, X-H-AUTH-ID, X-H-TIMESTAMP, then those ' +
      'that the operation names.',
  ),
};

const byOperator = [{ OperatorId: [], FieldSignature: [], Timestamp: [] }];

export const SECURITY = {
  provider: [{ ProviderId: [], BodySignature: [], Timestamp: [] }],
  operator: byOperator,
  /** The token in the query is all they have. */
  player: [],
  anyone: [],
  /** Our own calls; the id is the receiver's. */
  service: byOperator,
  unsigned: [{ ProviderId: [], Timestamp: [] }],
} as const;

const requestId = {
  ...{ name: 'X-Request-Id', in: 'header' },
  description: 'Names the call in logs, and where a command has no other name, the command: unique per call.',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[^#\\u0000-\\u001f\\u007f-\\u009f]+$' },
};

export const PARAMETERS: JsonSchema = {
  RequiredRequestId: { ...requestId, required: true },
  RequestId: {
    ...requestId,
    required: false,
    description:
      'Names the call in logs. One that is not as `RequiredRequestId` says is ignored, and not given back.',
    schema: { type: 'string' },
  },
};

const header = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({
  description,
  schema,
});

export const HEADERS: JsonSchema = {
  'X-Response-Id': header('A fresh UUID.', { type: 'string', format: 'uuid' }),
  'X-Request-Id': header('The caller’s own, given back where it was well-formed.'),
  'Retry-After': header('Seconds.'),
};

export function signedText(fields: readonly string[]): string {
  const named = fields.map((field) =>
    field.endsWith('?') ? `${field.slice(0, -1)} (only if present)` : field,
  );
  return `Signed: secret, X-H-AUTH-ID, X-H-TIMESTAMP${named.map((field) => `, ${field}`).join('')}.`;
}
