import { randomUUID } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import {
  HEADERS,
  signBody,
  signFields,
  type ErrorObject,
  type RoundInfoReply,
  type SpinCounterReply,
} from '../../sdk';

/** A reply of the service, with the fields of all game replies. A body that is not JSON is in `text`. */
export type ReplyBody = Partial<SpinCounterReply & RoundInfoReply & { errorCode: ErrorObject }> &
  Record<string, unknown>;

export interface Answer {
  status: number;
  body: ReplyBody;
  headers: IncomingHttpHeaders;
}

/** No complete response came: the process was killed, does not run, or took too long. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface Exchange {
  method?: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs?: number | undefined;
}

/** Longer than the service needs for any answer (10 s). */
const TIMEOUT_MS = 20_000;

/** One exchange on a new connection, so that no connection of a killed process is reused. Rejects with NoAnswer. */
export function exchange({ method = 'GET', url, headers, body, timeoutMs }: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lost = (why: unknown): void => reject(new NoAnswer(`${url}: ${String(why)}`));
    const call = request(url, { method, agent: false, ...(headers === undefined ? {} : { headers }) });
    const timer = setTimeout(() => call.destroy(new Error('too late')), timeoutMs ?? TIMEOUT_MS);
    call.once('close', () => clearTimeout(timer));
    call.once('error', lost);
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', lost);
      response.once('close', () => {
        if (!response.complete) return lost('cut short');
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: parsed(text), headers: response.headers });
      });
    });
    call.end(body);
  });
}

function parsed(text: string): ReplyBody {
  try {
    return JSON.parse(text) as ReplyBody;
  } catch {
    return { text };
  }
}

/** A provider or an operator, who signs calls. */
export interface Party {
  id: string;
  secret: string;
}

export interface CallOptions {
  requestId?: string;
  /** The value of X-H-TIMESTAMP. */
  timestamp?: string;
  timeoutMs?: number | undefined;
}

/** Headers of a game-engine call. The signature is over the bytes of the body. */
export function providerHeaders(
  { id, secret }: Party,
  body: string,
  { requestId = randomUUID(), timestamp = new Date().toISOString() }: CallOptions = {},
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    [HEADERS.authId]: id,
    [HEADERS.timestamp]: timestamp,
    [HEADERS.signature]: signBody(secret, body, timestamp),
    [HEADERS.requestId]: requestId,
  };
}

/** Makes a signed game-engine call once, without a retry. */
export function callAsProvider(
  api: string,
  party: Party,
  path: string,
  request: object,
  options: CallOptions = {},
): Promise<Answer> {
  const body = JSON.stringify(request);
  return exchange({
    method: 'POST',
    url: `${api}${path}`,
    headers: providerHeaders(party, body, options),
    body,
    timeoutMs: options.timeoutMs,
  });
}

/** Makes a signed call of the operator API once, without a retry. docs/signing.md lists the `fields` of each call. */
export function callAsOperator(
  api: string,
  { id, secret }: Party,
  call: { path: string; request: object; fields: string[]; method?: 'GET' | 'POST' },
  { timestamp = new Date().toISOString(), timeoutMs }: CallOptions = {},
): Promise<Answer> {
  const { path, request: asked, fields, method = 'POST' } = call;
  const query = method === 'GET' ? `?${new URLSearchParams(asked as Record<string, string>).toString()}` : '';
  return exchange({
    method,
    url: `${api}${path}${query}`,
    headers: {
      'Content-Type': 'application/json',
      [HEADERS.authId]: id,
      [HEADERS.timestamp]: timestamp,
      [HEADERS.signature]: signFields(secret, id, timestamp, fields),
    },
    ...(method === 'POST' ? { body: JSON.stringify(asked) } : {}),
    timeoutMs,
  });
}
