import { randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { parse } from 'secure-json-parse';
import { Agent, request } from 'undici';
import { ADDRESS_REFUSED, callbackConnector, type CallbackAddresses } from './addresses';

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
      /** Header X-H-ERROR-ID: makes an errorCode on a 200 count (spec doGameRoundReport). */
      errorId?: string;
    }
  | {
      kind: 'silence';
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

const MAX_REPLY_BYTES = 1024 * 1024;
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

/** Outbound HTTP: bounded in time and size, redirects not followed, one connection pool for each tenant. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { report = () => undefined } = options;
  const connect = callbackConnector(options.addresses, options.lookup);
  const agents = new Map<string, Agent>();

  function agentOf(tenant: string): Agent {
    const existing = agents.get(tenant);
    if (existing !== undefined) return existing;
    const agent = new Agent({
      connections: MAX_CONNECTIONS_PER_TENANT,
      pipelining: 1,
      maxResponseSize: MAX_REPLY_BYTES,
      keepAliveTimeout: 4_000,
      connect,
    });
    agents.set(tenant, agent);
    return agent;
  }

  async function exchange(call: Call, requestId: string): Promise<HttpAnswer> {
    try {
      const reply = await request(call.url, {
        dispatcher: agentOf(call.tenant),
        method: call.method,
        headers: {
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          accept: 'application/json',
          'x-request-id': requestId,
          'x-response-id': randomUUID(),
          ...call.headers,
        },
        body: call.body,
        signal: AbortSignal.timeout(call.timeoutMs),
        headersTimeout: call.timeoutMs,
        bodyTimeout: call.timeoutMs,
      });
      const errorId = reply.headers['x-h-error-id'];
      return {
        kind: 'answer',
        status: reply.statusCode,
        body: parseJson(await reply.body.text()),
        ...(typeof errorId === 'string' ? { errorId } : {}),
      };
    } catch (error) {
      const reason = reasonOf(error);
      return { kind: 'silence', reason, ...(reason === ADDRESS_REFUSED ? { unsent: true } : {}) };
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
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.close()));
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
  if (name === 'TimeoutError' || name === 'AbortError') return 'time-out';
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'failed';
}
