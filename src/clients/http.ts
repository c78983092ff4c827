import { randomUUID } from 'node:crypto';
import { Agent, request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import getRawBody from 'raw-body';
import { parse } from 'secure-json-parse';
import { ADDRESS_REFUSED, connector, type CallbackAddresses, type Target } from './addresses';
import { decoded } from './content-codings';

export interface Call {
  /** Whose pool it goes through: a tenant that is slow or dead never holds up another. */
  tenant: string;
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The round it is about, for logs. */
  gameround?: string;
  /** For the whole call, the reply's body included. */
  timeoutMs: number;
}

export type HttpAnswer =
  | {
      kind: 'answer';
      status: number;
      body: unknown;
      /** Header X-H-ERROR-ID: makes an errorCode on a 200 count (docs/interface#report-error-header). */
      errorId?: string;
    }
  | {
      kind: 'no-response';
      reason: string;
      /** Nothing of the call left this machine: its address is one that may not be called. */
      unsent?: true;
    };

/** What a call looked like, for logs and metrics: no bodies, no secrets. */
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

/** Firewalls in front of wallets refuse callers without one. The version is the one in package.json. */
export const USER_AGENT = 'gameround/0.1.0';
const MAX_REPLY_BYTES = 1024 * 1024;
/** Common servers close an idle connection after 5 s. One that announces less is believed (`Keep-Alive: timeout=`). */
const IDLE_MS = 4_000;
/** More than a tenant's share of pending calls (guarded-wallet.ts): a call never waits for a connection until it is late. */
const MAX_CONNECTIONS_PER_TENANT = 96;

export interface HttpClient {
  send(call: Call): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  addresses: CallbackAddresses;
  report?: (call: CallReport) => void;
  /** Default: the system's. */
  lookup?: LookupFunction;
}

/**
 * Outbound HTTP: bounded in time and size, redirects not followed, one connection pool for each tenant. Node's own client
 * passes over interim replies (1xx), which other clients take for an error.
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
      // Node keeps `signal` from the agent.
      until: signal,
      timeoutMs: call.timeoutMs,
    };
    const sent = (isTls ? tlsRequest : plainRequest)(url, options);
    let isClosed = false;
    sent.once('socket', (socket) => {
      isClosed = sent.reusedSocket && !(socket.readable && socket.writable);
      // Its other direction may still be open: nothing must go out on it.
      if (isClosed) socket.destroy();
    });
    try {
      sent.end(call.body);
      const reply = await new Promise<IncomingMessage>((resolve, reject) => {
        // An unasked 101 is no response and no error: only the connection ends.
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
      // The server had closed this idle connection before the call: nothing was sent.
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

/** JSON can escape half a character (a lone surrogate); gRPC and MongoDB carry whole ones only. */
const HALF_CHARACTER = /\\u[dD][89a-fA-F]/;

/** The value, or undefined where the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' });
    return HALF_CHARACTER.test(text) ? wellFormed(value) : value;
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
