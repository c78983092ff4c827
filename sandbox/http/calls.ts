import type { IncomingMessage } from 'node:http';
import { HEADERS } from '../../sdk/signing';

/** A received call and its outcome, for tests and for people. */
export interface RecordedCall {
  n: number;
  at: string;
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  /** JSON, or a text if the body is not JSON. A long body is a text that is cut. Null without a body. */
  body: unknown;
  /** Time of arrival by the machine's clock, in ms since the epoch. `at` uses the sandbox's clock, which may be wrong. */
  receivedMs: number;
  /** Null without an answer: the call hangs or is held, or the client has closed the connection. */
  status: number | null;
  /** The answer's body, cut if it is long. Absent if the body is not a text. */
  answer?: string;
  /** The fault that was applied to the call. */
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

/** All received values of a header, joined, so that a repeated header is visible. */
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
