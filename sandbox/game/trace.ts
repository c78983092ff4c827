import { AsyncLocalStorage } from 'node:async_hooks';
import type { DebugEntry } from '../../sdk';
import { signBody } from '../../sdk/signing';

/** A call of the game to the service for the page, without the session's token. */
export interface TracedCall {
  n: number;
  at: string;
  method: string;
  path: string;
  authId: string;
  timestamp: string;
  signature: string;
  request: unknown;
  /** Null without a complete reply. */
  status: number | null;
  reply: unknown;
  durationMs: number;
}

export type Trace = TracedCall[];

const CALLS_KEPT = 40;
const TOKEN_SHOWN = '<token>';
const TOKENS: readonly string[] = ['token', 'currentToken'];

/** Stores the game's calls for a player. It gets them from the SDK's debug function. */
export class Tracer {
  private readonly current = new AsyncLocalStorage<Trace>();
  private last = 0;

  constructor(private readonly provider: { providerId: string; secret: string }) {}

  /** Runs `run` and adds its calls to `trace`. */
  during<Result>(trace: Trace, run: () => Result): Result {
    return this.current.run(trace, run);
  }

  readonly debug = ({ method, url, signed, status, reply, durationMs }: DebugEntry): void => {
    const trace = this.current.getStore();
    if (trace === undefined) return;
    const end = signed.lastIndexOf('#');
    const [body, timestamp] = [signed.slice(0, end), signed.slice(end + 1)];
    const { providerId: authId, secret } = this.provider;
    trace.push({
      n: ++this.last,
      at: new Date(Date.now() - durationMs).toISOString(),
      method,
      path: new URL(url).pathname,
      // A connect is not signed.
      ...(signed === ''
        ? { authId: '', timestamp: '', signature: '', request: null }
        : { authId, timestamp, signature: signBody(secret, body, timestamp), request: masked(body) }),
      status: status ?? null,
      reply: masked(JSON.stringify(reply ?? null)),
      durationMs,
    });
    trace.splice(0, Math.max(0, trace.length - CALLS_KEPT));
  };
}

function masked(text: string): unknown {
  const hide = (key: string, value: unknown): unknown =>
    TOKENS.includes(key) && typeof value === 'string' ? TOKEN_SHOWN : value;
  return JSON.parse(text, hide) as unknown;
}
