import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MonotonicClock } from '../domain/time';

/** How long a sign-in is valid. */
export const SESSION_SECONDS = 8 * 3_600;

const WRONG_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

/** Checks who may decode: callers with the token, or with a session that was made for it. */
export interface CodecSessions {
  /** Compares in constant time. `undefined`: after too many wrong tokens, even the right one is not checked. */
  isToken(given: string): boolean | undefined;
  make(): string;
  isValid(session: string): boolean;
}

/**
 * Sessions are `<expiry>.<hmac>`, so nothing is stored, and a new token ends all sessions.
 * @param clock milliseconds since the epoch
 */
export function createCodecSessions(
  token: string,
  clock: () => number,
  monotonicNow: MonotonicClock,
): CodecSessions {
  let wrong = { count: 0, since: -Infinity };
  const mac = (text: string): Buffer => createHmac('sha256', token).update(text).digest();
  const equal = (left: string, right: string): boolean => timingSafeEqual(mac(left), mac(right));
  const signed = (expiry: string): string =>
    `${expiry}.${mac(`codec session until ${expiry}`).toString('base64url')}`;
  return {
    isToken(given) {
      if (monotonicNow() - wrong.since >= MINUTE_MS) wrong = { count: 0, since: monotonicNow() };
      if (wrong.count >= WRONG_PER_MINUTE) return undefined;
      const isRight = equal(given, token);
      if (!isRight) wrong.count += 1;
      return isRight;
    },
    make: () => signed(String(Math.floor(clock() / 1_000) + SESSION_SECONDS)),
    isValid(session) {
      const [expiry = ''] = session.split('.');
      return equal(session, signed(expiry)) && Number(expiry) * 1_000 > clock();
    },
  };
}
