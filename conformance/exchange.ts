import { randomUUID } from 'node:crypto';
import { fieldsMessage, HEADERS, signFields } from '../sdk/signing';

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export interface Party {
  url: string;
  /** The X-H-AUTH-ID of the calls. */
  authId: string;
  secret: string;
  timeoutMs: number;
}

/** A request as it was sent, and its reply. */
export interface Exchange {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: Json | undefined;
  /** The signed fields, to sign the request again. Undefined if the request is wrong on purpose or not signed. */
  fields: readonly string[] | undefined;
  /** Undefined if no reply came; `failure` says why. */
  reply: Reply | undefined;
  failure: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined if the body is no JSON object. */
  json: Json | undefined;
}

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string>;
  body?: Json;
  /** The fields that the signature covers; undefined for a call without a signature. */
  fields: readonly string[] | undefined;
  /** Replaces parts of the correct call, to make it wrong. */
  wrong?: Wrong | undefined;
}

export interface Wrong {
  secret?: string;
  authId?: string;
  timestamp?: string;
  signedTimestamp?: string;
  fields?: readonly string[];
  alterSignature?: (signature: string) => string;
  /** Headers that replace the correct ones. Undefined removes the header. */
  headers?: Record<string, string | undefined>;
}

export async function send(party: Party, call: Call): Promise<Exchange> {
  const { method, path, query, body, wrong } = call;
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
  const exchange: Exchange = {
    method,
    url: `${party.url.replace(/\/$/, '')}${path}${search}`,
    headers: headersOf(party, call),
    body,
    fields: wrong === undefined ? call.fields : undefined,
    reply: undefined,
    failure: '',
  };
  try {
    const response = await fetch(exchange.url, {
      method,
      headers: exchange.headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(party.timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    exchange.reply = { status: response.status, headers: response.headers, text, json: objectIn(text) };
  } catch (error) {
    exchange.failure = failureOf(error, party.timeoutMs);
  }
  return exchange;
}

function headersOf(party: Party, { body, fields, wrong = {} }: Call): Record<string, string> {
  const authId = wrong.authId ?? party.authId;
  const timestamp = wrong.timestamp ?? new Date().toISOString();
  const secret = wrong.secret ?? party.secret;
  const signed = wrong.fields ?? fields;
  const signature = signed && signFields(secret, authId, wrong.signedTimestamp ?? timestamp, signed);
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    [HEADERS.authId]: authId,
    [HEADERS.timestamp]: timestamp,
    ...(signature === undefined
      ? {}
      : { [HEADERS.signature]: wrong.alterSignature?.(signature) ?? signature }),
    [HEADERS.requestId]: randomUUID(),
    'User-Agent': 'gameround-conformance',
    ...wrong.headers,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  );
}

function objectIn(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as Error & { cause?: Error };
  if (name === 'TimeoutError') return `no reply within ${timeoutMs} ms`;
  return `no reply: ${message}${cause === undefined ? '' : `: ${cause.message || cause.name}`}`;
}

/** The request and the reply as text. */
export function sentText({ method, url, headers, body }: Exchange): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = body === undefined ? [] : ['', JSON.stringify(body, null, 2)];
  return [`${method} ${url}`, ...lines, ...text].join('\n');
}

export function cameText({ reply, failure }: Exchange): string {
  if (reply === undefined) return failure;
  const text = reply.json === undefined ? reply.text : JSON.stringify(reply.json, null, 2);
  return `HTTP ${reply.status}\n\n${text === '' ? '(empty body)' : text}`;
}

/** The reason why the first request has no usable answer. After a 401 it contains the signed message. */
export function complaint({ headers, fields, reply, failure }: Exchange): string {
  if (reply === undefined) return failure;
  const came = `${reply.status} ${reply.text.slice(0, 500)}`;
  if (reply.status !== 401 || fields === undefined) return came;
  const [authId = '', timestamp = ''] = [headers[HEADERS.authId], headers[HEADERS.timestamp]];
  return `${came}\nSigned was: ${fieldsMessage('<secret>', authId, timestamp, fields)}`;
}

/** The request and the reply in short. */
export function stepLine({ method, url, body, reply, failure }: Exchange): string {
  const types = asArray(body?.['transactions']).map((one) => {
    const { type, amount } = one as { type: string; amount?: number };
    return amount === undefined ? type : `${type} ${amount}`;
  });
  const error = reply?.json?.['errorCode'];
  const balances = asArray(reply?.json?.['balances']).map((one) => (isObject(one) ? one['amount'] : ''));
  return [
    `${method} ${new URL(url).pathname}`,
    types.length === 0 ? '' : ` [${types.join(', ')}]`,
    ` → ${reply?.status ?? failure}`,
    isObject(error) ? `, id ${String(error['id'])}` : '',
    balances.length === 0 ? '' : `, balance ${balances.join(' + ')}`,
  ].join('');
}

/**
 * The request as a line for a shell. A correctly signed request gets a new timestamp and signature with each run, from the
 * secret in `$GAMEROUND_SECRET`. All other requests are repeated unchanged.
 */
export function curlLine({ method, url, headers, body, fields }: Exchange): string {
  const isSigned = fields !== undefined;
  const fixed = Object.entries(headers).filter(
    ([name]) => !(isSigned && (name === HEADERS.timestamp || name === HEADERS.signature)),
  );
  const authId = headers[HEADERS.authId] ?? '';
  const message = `"$GAMEROUND_SECRET"${quote(`#${authId}#`)}"$T"${quote((fields ?? []).map((field) => `#${field}`).join(''))}`;
  const hmac = `$(printf %s ${message} | openssl dgst -sha256 -hmac "$GAMEROUND_SECRET" -binary | base64)`;
  return [
    ...(isSigned ? ['T=$(date -u +%Y-%m-%dT%H:%M:%SZ);'] : []),
    `curl -sS -i -X ${method} ${quote(url)}`,
    ...fixed.map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(isSigned ? [`-H "${HEADERS.timestamp}: $T" -H "${HEADERS.signature}: ${hmac}"`] : []),
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`]),
  ].join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
