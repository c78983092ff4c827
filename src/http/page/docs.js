/*
 * The page GET /docs: Swagger UI and a list of the calls beside it. In a sandbox it also sends calls and signs them with the
 * secrets of the sandbox (docs/signing.md). Without one it sends nothing.
 */
/* global SwaggerUIBundle, TextEncoder, URL, btoa, crypto, document, history, location, matchMedia, setTimeout */
'use strict';

/** What a call of the sandbox may contain in place of a value. */
const PLACEHOLDER = /\{\{(token|gameRound|roundId|unique)\}\}/g;
const PLACEHOLDER_LEFT = /\{\{(token|gameRound|roundId)\}\}/;
/** The page's own player, so that a round left open here is in nobody's way. */
const PLAYER = 'api-page';
/** What is sent before a call that has a placeholder. */
const BEFORE = {
  token: 'Press “New session” first.',
  gameRound: 'Send startGameRound first.',
  roundId: 'Send startGameRound first.',
};
/** TOKENNOTFOUND, TOKENEXPIRED and LAUNCHURLSPENT. */
const SESSION_OVER = [2005, 2006, 2007];
const UNIQUE = ['externalGameProviderTransactionId', 'rngCallId'];

class Sandbox {
  constructor(openapi, { operator, provider, gameCode }) {
    Object.assign(this, { openapi, operator, provider, gameCode, known: {} });
  }

  /** The recorded values of the examples belong to a run that is over: placeholders take their places. */
  prepare() {
    this.openapi.servers = [{ url: location.origin }];
    const { RequiredRequestId } = this.openapi.components.parameters;
    for (const [path, methods] of Object.entries(this.openapi.paths)) {
      for (const operation of Object.values(methods)) {
        const { parameters = [], requestBody } = operation;
        operation.parameters = parameters.map((parameter) => {
          if (parameter.$ref?.endsWith('/RequiredRequestId'))
            return { ...RequiredRequestId, example: '{{unique}}' };
          if (!('example' in parameter)) return parameter;
          return { ...parameter, example: this.#replaced(parameter.name, parameter.example, path) };
        });
        for (const example of Object.values(requestBody?.content['application/json'].examples ?? {})) {
          example.value = this.#replaced('', example.value, path);
        }
      }
    }
  }

  #replaced(name, value, path) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, entry]) => [key, this.#replaced(key, entry, path)]),
      );
    }
    if (name === 'playerId') return PLAYER;
    if (name === 'token') return '{{token}}';
    if (name === 'gameRound' || name === 'gameround') return '{{gameRound}}';
    if (name === 'gameCode') return this.gameCode;
    if (name === 'externalGameProviderRoundId')
      return path === '/startGameRound' ? '{{unique}}' : '{{roundId}}';
    return UNIQUE.includes(name) ? '{{unique}}' : value;
  }

  /** Swagger UI's requestInterceptor. */
  async signed(request) {
    const fill = (text) =>
      text.replace(PLACEHOLDER, (all, name) => (name === 'unique' ? unique() : (this.known[name] ?? all)));
    const headers = Object.entries(request.headers).map(([name, value]) => [name, fill(String(value))]);
    request.headers = Object.fromEntries(headers);
    request.url = fill(request.url.replace(/%7B%7B(\w+)%7D%7D/gi, '{{$1}}'));
    const { pathname, searchParams } = new URL(request.url, location.origin);
    const operation = this.openapi.paths[pathname]?.[request.method.toLowerCase()];
    const [security = {}] = operation?.security ?? [];
    const body = request.body === undefined ? undefined : fill(textOf(request.body));
    const [left, missing] = PLACEHOLDER_LEFT.exec(`${request.url} ${body}`) ?? [];
    if (left !== undefined) {
      const why = `Nothing was sent: there is no ${left} yet. ${BEFORE[missing]}`;
      this.show(why);
      // Swagger UI calls this instead of fetch, and shows name and message of the error in place of a reply.
      request.userFetch = () => Promise.reject(Object.assign(new Error(why), { name: '' }));
      return request;
    }
    if (body !== undefined) request.body = body;
    const timestamp = new Date().toISOString();
    if ('BodySignature' in security) {
      await sign(request, { ...this.provider, timestamp, message: `${body}#${timestamp}` });
    } else if ('FieldSignature' in security) {
      const values = body === undefined ? Object.fromEntries(searchParams) : JSON.parse(body);
      const fields = operation['x-signed-fields'].flatMap((field) => {
        const value = values[field.replace('?', '')];
        return field.endsWith('?') && !value ? [] : [value ?? ''];
      });
      const { id, secret } = this.operator;
      await sign(request, { id, secret, timestamp, message: [secret, id, timestamp, ...fields].join('#') });
    }
    const [, roundId] = /"externalGameProviderRoundId"\s*:\s*"([^"]+)"/.exec(body ?? '') ?? [];
    if (pathname === '/startGameRound') this.known.roundId = roundId;
    return request;
  }

  /** Swagger UI's responseInterceptor. */
  received(response) {
    const { url, token, gameRoundInfo, errorCode } = response.body ?? {};
    const path = new URL(response.url, location.origin).pathname;
    if (path === '/getGameURL' && url) this.known.token = new URL(url).searchParams.get('token');
    if (path === '/connect' && token) this.known.token = token;
    if (gameRoundInfo) this.known.gameRound = gameRoundInfo.hash;
    this.show(SESSION_OVER.includes(errorCode?.id) ? 'no valid session: press “New session”' : '');
    return response;
  }

  /** A player's session: getGameURL as the operator, connect as the game's page. */
  async launch() {
    const { value } = Object.values(
      this.openapi.paths['/getGameURL'].post.requestBody.content['application/json'].examples,
    )[0];
    await this.#send('POST', '/getGameURL', JSON.stringify(value));
    await this.#send('GET', `/connect?token={{token}}`);
  }

  async #send(method, url, body) {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const request = await this.signed({ method, url, headers, ...(body === undefined ? {} : { body }) });
    const response = await fetch(request.url, request);
    this.received({ url: request.url, body: await response.json() });
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
  }

  show(problem = '') {
    const { token, gameRound } = this.known;
    document.getElementById('session').textContent =
      problem ||
      (token
        ? `token ${token}${gameRound ? `, gameRound ${gameRound}` : ''}`
        : 'no session yet: start one, or send getGameURL and connect');
  }
}

async function sign(request, { id, secret, timestamp, message }) {
  const bytes = (text) => new TextEncoder().encode(text);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), hmac, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(message)));
  request.headers['X-H-AUTH-ID'] = id;
  request.headers['X-H-TIMESTAMP'] = timestamp;
  request.headers['X-H-AUTH-SIG'] = btoa(String.fromCharCode(...signature));
}

function textOf(body) {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function unique() {
  return crypto.randomUUID().replaceAll('-', '');
}

/** The list of calls: by tag, in the order of the document. */
function listCalls(openapi, open) {
  const callsOf = (all, isCallback) =>
    Object.entries(all).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ name: path.replace(/^\//, ''), isCallback, operation })),
    );
  const calls = [...callsOf(openapi.paths, false), ...callsOf(openapi.webhooks, true)];
  const list = document.querySelector('#calls details');
  for (const { name: tag } of openapi.tags) {
    const entries = calls.filter(({ operation }) => operation.tags.includes(tag));
    list.append(
      element('h2', tag),
      element('ul', ...entries.map((entry) => element('li', link(tag, entry)))),
    );
  }
  list.addEventListener('click', (event) => {
    const { hash } = event.target;
    if (!hash) return;
    event.preventDefault();
    if (matchMedia('(max-width: 60rem)').matches) list.open = false;
    open(hash);
  });
  list.open = !matchMedia('(max-width: 60rem)').matches;
}

function link(tag, { name, isCallback, operation: { operationId, summary } }) {
  const made = element('a', name);
  made.href = `#/${isCallback ? 'webhooks' : encodeURIComponent(tag)}/${operationId}`;
  made.title = summary;
  return made;
}

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

async function json(path) {
  return (await fetch(path)).json();
}

async function main() {
  const openapi = await json('/openapi.json');
  const strip = document.getElementById('sandbox');
  const sandbox = strip === null ? undefined : new Sandbox(openapi, await json('/docs/sandbox.json'));
  sandbox?.prepare();
  // Swagger UI shows callbacks under a heading of its own, so their tags would stay empty.
  const tags = openapi.tags.filter(({ name }) => !name.startsWith('To the '));
  const ui = SwaggerUIBundle({
    spec: { ...openapi, tags },
    dom_id: '#docs',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    defaultModelRendering: 'example',
    showExtensions: false,
    supportedSubmitMethods: sandbox === undefined ? [] : ['get', 'post'],
    tryItOutEnabled: sandbox !== undefined,
    validatorUrl: null,
    ...(sandbox === undefined
      ? {}
      : {
          requestInterceptor: (request) => sandbox.signed(request),
          responseInterceptor: (response) => sandbox.received(response),
        }),
  });
  listCalls(openapi, (hash) => {
    history.replaceState(null, '', hash);
    ui.layoutActions.parseDeepLinkHash(decodeURIComponent(hash));
    // Swagger UI opens the call, and scrolls to it at the start of the page only.
    setTimeout(() => document.querySelector(`.opblock[id$="-${hash.split('/').at(-1)}"]`)?.scrollIntoView());
  });
  if (sandbox === undefined) return;
  if (crypto.subtle === undefined) {
    sandbox.show('This page can sign calls at 127.0.0.1 or by https only.');
    return;
  }
  sandbox.show();
  strip.querySelector('button').addEventListener('click', () => {
    sandbox.launch().catch((error) => sandbox.show(error.message));
  });
}

void main();
