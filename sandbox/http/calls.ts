import type { IncomingMessage } from 'node:http';
import { HEADERS } from '../../sdk/signing';

/** A call as it was received and what became of it; a tool for tests and for people. */
export interface RecordedCall {
  n: number;
  at: string;
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  /** JSON where it was JSON, else text; cut where it is long. */
  body: unknown;
  /** When it came by the machine's own clock, ms since the epoch; `at` is by the sandbox's, which may be set wrong. */
  receivedMs: number;
  /** Null while nothing was answered: hanging, held, or the client left. */
  status: number | null;
  /** The answer's body as text, cut where it is long; absent where it was no text. */
  answer?: string;
  /** The fault that was switched on for it. */
  fault?: string;
  clientLeft?: true;
}

const BODY_KEPT_BYTES = 64 * 1024;
const ANSWER_KEPT_CHARS = 1_000;
const HEADERS_KEPT: readonly string[] = [
  HEADERS.authId,
  HEADERS.signature,
  HEADERS.timestamp,
  HEADERS.requestId,
  HEADERS.responseId,
  'Content-Type',
];

export class CallLog {
  private readonly calls: RecordedCall[] = [];
  private last = 0;

  constructor(private readonly limit: number) {}

  record(request: IncomingMessage, url: URL, at: Date): RecordedCall {
    const call: RecordedCall = {
      n: ++this.last,
      at: at.toISOString(),
      receivedMs: Date.now(),
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: headersOf(request),
      body: null,
      status: null,
    };
    this.calls.push(call);
    if (this.calls.length > this.limit) this.calls.shift();
    return call;
  }

  list(matches: (call: RecordedCall) => boolean, limit: number): RecordedCall[] {
    return this.calls.filter(matches).slice(-limit);
  }

  clear(): void {
    this.calls.length = 0;
  }
}

/** Every received value, joined: a repeated header is to be seen. */
function headersOf(request: IncomingMessage): Record<string, string> {
  const kept = HEADERS_KEPT.map((name) => [name, request.headersDistinct[name.toLowerCase()]] as const);
  return Object.fromEntries(
    kept.flatMap(([name, values]) => (values ? [[name, values.join(', ')] as const] : [])),
  );
}

export function keptBody(raw: Buffer, parsed: unknown): unknown {
  if (raw.length === 0) return null;
  if (raw.length > BODY_KEPT_BYTES) return `${raw.subarray(0, BODY_KEPT_BYTES).toString()}…`;
  return parsed ?? raw.toString();
}

export function keptAnswer(body: unknown): string | undefined {
  return typeof body === 'string' ? body.slice(0, ANSWER_KEPT_CHARS) : undefined;
}
