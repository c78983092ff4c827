import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseTimestamp } from '../domain/time';

/** The headers every call carries (docs/interface#request-headers). */
export const AUTH_HEADERS = {
  id: 'x-h-auth-id',
  signature: 'x-h-auth-sig',
  timestamp: 'x-h-timestamp',
} as const;

export interface AuthHeaders {
  authId: string;
  /** Base64 of 32 bytes. */
  signature: string;
  /** As sent: it is part of what is signed. */
  timestamp: string;
}

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
const MAX_HEADER_CHARS = 128;

/** Undefined when one is missing, repeated, empty or not of its form. */
export function readAuthHeaders(headers: NodeJS.Dict<string[]>): AuthHeaders | undefined {
  const authId = only(headers[AUTH_HEADERS.id]);
  const signature = only(headers[AUTH_HEADERS.signature]);
  const timestamp = only(headers[AUTH_HEADERS.timestamp]);
  if (authId === undefined || timestamp === undefined || !BASE64_OF_32_BYTES.test(signature ?? ''))
    return undefined;
  return { authId, signature: signature!, timestamp };
}

function only(values: string[] | undefined): string | undefined {
  const [value] = values ?? [];
  return values?.length === 1 && value !== '' && value!.length <= MAX_HEADER_CHARS ? value : undefined;
}

/** Provider to service: the body's bytes as received, `#`, the time stamp as received. */
export function bodySignature(secret: string, body: Buffer, timestamp: string): Buffer {
  return createHmac('sha256', secret).update(body).update('#').update(timestamp).digest();
}

/** Operator to service: secret, id, time stamp and the call's fields, joined by `#`. */
export function fieldsSignature(
  secret: string,
  { authId, timestamp }: Pick<AuthHeaders, 'authId' | 'timestamp'>,
  fields: readonly string[],
): Buffer {
  return createHmac('sha256', secret)
    .update([secret, authId, timestamp, ...fields].join('#'))
    .digest();
}

/**
 * Whether any of the tenant's secrets makes this signature. Every secret is tried, also after a match; the comparison takes
 * the same time wherever the difference is.
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

/** A tolerance of 0 turns the check off; the time stamp has to be one all the same. */
export function isTimely(timestamp: string, toleranceMs: number, nowMs: number): boolean {
  const at = parseTimestamp(timestamp);
  return at !== undefined && (toleranceMs === 0 || Math.abs(nowMs - at) <= toleranceMs);
}
