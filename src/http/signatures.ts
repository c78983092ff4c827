import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseTimestamp } from '../domain/time';

/** The authentication headers (docs/interface#request-headers). */
export const AUTH_HEADERS = {
  id: 'x-h-auth-id',
  signature: 'x-h-auth-sig',
  timestamp: 'x-h-timestamp',
} as const;

export interface AuthHeaders {
  authId: string;
  /** Base64 of 32 bytes. */
  signature: string;
  /** The text as it was sent, since it is signed. */
  timestamp: string;
}

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
const MAX_HEADER_CHARS = 128;

/** The part of a call's authentication that is wrong. */
export type AuthFault =
  | `${keyof typeof AUTH_HEADERS} ${HeaderFault}`
  | 'unknown id'
  | 'signature malformed'
  | 'signature wrong'
  | TimeFault;

type HeaderFault = 'missing' | 'repeated' | 'too long';
type TimeFault = `timestamp ${'malformed' | 'too old' | 'too new'}`;

export function readAuthHeaders(headers: NodeJS.Dict<string[]>): AuthHeaders | AuthFault {
  for (const part of ['id', 'timestamp', 'signature'] as const) {
    const fault = headerFault(headers[AUTH_HEADERS[part]]);
    if (fault !== undefined) return `${part} ${fault}`;
  }
  const value = (part: keyof typeof AUTH_HEADERS): string => headers[AUTH_HEADERS[part]]![0]!;
  if (!BASE64_OF_32_BYTES.test(value('signature'))) return 'signature malformed';
  return { authId: value('id'), signature: value('signature'), timestamp: value('timestamp') };
}

function headerFault(values: string[] = []): HeaderFault | undefined {
  if (values.length > 1) return 'repeated';
  const [value = ''] = values;
  if (value === '') return 'missing';
  return value.length <= MAX_HEADER_CHARS ? undefined : 'too long';
}

/** The id that a call claims, cut to the longest valid length, for the log. */
export function claimedId(headers: NodeJS.Dict<string[]>): string | undefined {
  return headers[AUTH_HEADERS.id]?.[0]?.slice(0, MAX_HEADER_CHARS);
}

/** The signature of a provider's call: the body's bytes as received, `#`, and the timestamp as received. */
export function bodySignature(secret: string, body: Buffer, timestamp: string): Buffer {
  return createHmac('sha256', secret).update(body).update('#').update(timestamp).digest();
}

/** The string that an operator signs: secret, id, timestamp and the call's fields, joined by `#`. */
export function fieldsMessage(
  secret: string,
  { authId, timestamp }: Pick<AuthHeaders, 'authId' | 'timestamp'>,
  fields: readonly string[],
): string {
  return [secret, authId, timestamp, ...fields].join('#');
}

export function fieldsSignature(
  secret: string,
  headers: Pick<AuthHeaders, 'authId' | 'timestamp'>,
  fields: readonly string[],
): Buffer {
  return createHmac('sha256', secret)
    .update(fieldsMessage(secret, headers, fields))
    .digest();
}

/**
 * Whether one of the tenant's secrets made this signature. It takes the same time for any signature: it always tries every
 * secret, and the comparison does not depend on where the difference is.
 */
export function isSignedBy(
  secrets: readonly string[],
  signature: string,
  expected: (secret: string) => Buffer,
): boolean {
  const given = Buffer.from(signature, 'base64');
  let matches = false;
  for (const secret of secrets) {
    const wanted = expected(secret);
    matches = (given.length === wanted.length && timingSafeEqual(given, wanted)) || matches;
  }
  return matches;
}

/** Checks the timestamp. With a tolerance of 0 it may have any time, but it must still be well-formed. */
export function timeFault(timestamp: string, toleranceMs: number, nowMs: number): TimeFault | undefined {
  const at = parseTimestamp(timestamp);
  if (at === undefined) return 'timestamp malformed';
  if (toleranceMs === 0 || Math.abs(nowMs - at) <= toleranceMs) return undefined;
  return at < nowMs ? 'timestamp too old' : 'timestamp too new';
}
