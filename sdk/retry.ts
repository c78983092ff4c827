import { setTimeout as sleep } from 'node:timers/promises';
import { InterfaceError } from './errors';

export interface RetryOptions {
  /** The most attempts of one call, including the first. */
  maxAttempts?: number | undefined;
  /** The pause before the second attempt. It doubles for each further one. A longer `Retry-After` is used instead, up to 10 s. */
  backoffMs?: number | undefined;
}

export const RETRY_DEFAULTS = { maxAttempts: 4, backoffMs: 500 };
const MAX_BACKOFF_MS = 10_000;

/** 429: the service had no free place for the call and did not carry it out (docs/interface#calls-at-a-time). */
export function isTooMany(error: unknown): boolean {
  return error instanceof InterfaceError && error.status === 429;
}

export function isRetriable(error: unknown): boolean {
  return isTooMany(error) || (error instanceof InterfaceError && error.status >= 500);
}

export async function attempts<Reply>(
  { maxAttempts, backoffMs }: { maxAttempts: number; backoffMs: number },
  attempt: () => Promise<Reply>,
  isRetried: (error: unknown) => boolean,
): Promise<Reply> {
  for (let made = 1; ; made += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetried(error) || made >= maxAttempts) throw error;
      const asked = error instanceof InterfaceError ? error.retryAfterMs : 0;
      await sleep(Math.min(Math.max(backoffMs * 2 ** (made - 1), asked), MAX_BACKOFF_MS));
    }
  }
}
