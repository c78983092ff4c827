import { randomUUID } from 'node:crypto';
import { Agent, request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import getRawBody from 'raw-body';
import { parse } from 'secure-json-parse';
import { ADDRESS_REFUSED, connector, type CallbackAddresses, type Target } from './addresses';
import { decoded } from './content-codings';

export interface Call {
  /** The tenant whose connection pool is used. A slow tenant does not block others. */
  tenant: string;
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The round of the call, for logs. */
  gameround?: string;
  /** Timeout of the whole call, including the reply's body. */
  timeoutMs: number;
}

export type HttpAnswer =
  | {
      kind: 'answer';
      status: number;
      body: unknown;
      /** The header X-H-ERROR-ID. With it an errorCode on a 200 is an error (docs/interface#report-error-header). */
      errorId?: string;
    }
  | {
      kind: 'no-response';
      reason: string;
      /** Nothing was sent, since the service may not call the address. */
      unsent?: true;
    };

/** Data of a call for logs and metrics, without bodies and secrets. */
export interface CallReport {
  tenant: string;
  method: string;
  path: string;
  requestId: string;
  gameround?: string;
  workflowId?: string;
  status?: number;
  failure?: string;
  durationMs: number;
}

/** Some firewalls in front of wallets refuse calls without a User-Agent. The version is that of package.json. */
export const USER_AGENT = 'gameround/0.1.0';
const MAX_REPLY_BYTES = 1024 * 1024;
/** Common servers close idle connections after 5 s. A shorter `Keep-Alive: timeout=` of the server is respected. */
const IDLE_MS = 4_000;
/** More than a tenant's calls in flight (guarded-wallet.ts), so that a call never waits for a connection. */
const MAX_CONNECTIONS_PER_TENANT = 96;

export interface HttpClient {
  send(call: Call): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  addresses: CallbackAddresses;
  report?: (call: CallReport) => void;
  /** Default: the system's lookup. */
  lookup?: LookupFunction | undefined;
}

/**
 * Outbound HTTP with limits in time and size, one connection pool per tenant, and without redirects. It uses Node's own
 * client, since other clients treat interim replies (1xx) as errors.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { report = () => undefined } = options;
  const connect = connector(options.addresses, options.lookup);
  const agents = new Map<string, Agent>();

  function agentOf(tenant: string, isTls: boolean): Agent {
    const key = `${isTls ? 'https' : 'http'} ${tenant}`;
    const existing = agents.get(key);
    if (existing !== undefined) return existing;
    const pool = { keepAlive: true, maxSockets: MAX_CONNECTIONS_PER_TENANT, timeout: IDLE_MS };
    const agent = isTls ? new TlsAgent(pool) : new Agent(pool);
    const secured = agent.createConnection.bind(agent);
    agent.createConnection = (target, done) => {
      connect(target as Target).then(
        (socket) => done!(null, isTls ? secured({ ...target, socket } as RequestOptions)! : socket),
        (error: Error) => done!(error, undefined!),
      );
      return undefined;
    };
    agents.set(key, agent);
    return agent;
  }

  async function exchange(call: Call, requestId: string): Promise<HttpAnswer> {
    const signal = AbortSignal.timeout(call.timeoutMs);
    const url = new URL(call.url);
    const isTls = url.protocol === 'https:';
    const options: RequestOptions & Partial<Target> = {
      agent: agentOf(call.tenant, isTls),
      method: call.method,
      headers: {
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': USER_AGENT,
        'x-request-id': requestId,
        'x-response-id': randomUUID(),
        ...call.headers,
      },
      signal,
      // Node does not pass `signal` to the agent, so pass it under another name.
      until: signal,
      timeoutMs: call.timeoutMs,
    };
    const sent = (isTls ? tlsRequest : plainRequest)(url, options);
    let isClosed = false;
    sent.once('socket', (socket) => {
      isClosed = sent.reusedSocket && !(socket.readable && socket.writable);
      // Only one direction may be closed. Destroy the socket, so that nothing is sent on the other one.
      if (isClosed) socket.destroy();
    });
    try {
      sent.end(call.body);
      const reply = await new Promise<IncomingMessage>((resolve, reject) => {
        // After an unexpected 101 there is neither a response nor an error; only the connection closes.
        const closed = (): void => reject(Object.assign(new Error('no response'), { code: 'ECONNRESET' }));
        sent.once('response', resolve).on('error', reject).once('close', closed);
      });
      const bytes = await getRawBody(reply, { limit: MAX_REPLY_BYTES });
      const text = await decoded(bytes, reply.headers['content-encoding'], MAX_REPLY_BYTES);
      const errorId = reply.headers['x-h-error-id'];
      return {
        kind: 'answer',
        status: reply.statusCode!,
        body: parseJson(new TextDecoder().decode(text)),
        ...(typeof errorId === 'string' ? { errorId } : {}),
      };
    } catch (error) {
      sent.destroy();
      // The server had closed this idle connection before the call, so nothing was sent. Use a new connection.
      if (isClosed && !signal.aborted) return exchange(call, requestId);
      const reason = signal.aborted ? 'time-out' : reasonOf(error);
      return { kind: 'no-response', reason, ...(reason === ADDRESS_REFUSED ? { unsent: true } : {}) };
    }
  }

  return {
    async send(call) {
      const requestId = randomUUID();
      const startedAt = performance.now();
      const answer = await exchange(call, requestId);
      report({
        tenant: call.tenant,
        method: call.method,
        path: new URL(call.url).pathname,
        requestId,
        ...(call.gameround === undefined
          ? {}
          : { gameround: call.gameround, workflowId: `gameround-${call.gameround}` }),
        durationMs: Math.round(performance.now() - startedAt),
        ...(answer.kind === 'answer' ? { status: answer.status } : { failure: answer.reason }),
      });
      return answer;
    },
    close() {
      agents.forEach((agent) => agent.destroy());
      return Promise.resolve();
    },
  };
}

/** JSON can contain escaped lone surrogates. gRPC and MongoDB can't carry them, so they are replaced. */
const HALF_CHARACTER = /\\u[dD][89a-fA-F]/;

/** The value, or undefined if the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' });
    return HALF_CHARACTER.test(text) ? wellFormed(value) : value;
    // eslint-disable-next-line no-restricted-syntax -- a text that is no JSON is a reply, too
  } catch {
    return undefined;
  }
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [wellFormed(key) as string, wellFormed(entry)]),
  );
}

/** The kind of failure, without addresses or payload. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'failed';
}
