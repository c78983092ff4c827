import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/**
 * Looks again and again until it finds what is expected. Rejects with what it saw last. The pauses grow with the time that it
 * has waited, since each look costs the servers time.
 */
export async function until<T>(
  look: () => Promise<T>,
  found: (seen: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const begunAt = Date.now();
  for (;;) {
    const seen = await look();
    if (found(seen)) return seen;
    const waitedMs = Date.now() - begunAt;
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms, last: ${JSON.stringify(seen)}`);
    await sleep(Math.min(Math.max(waitedMs / 8, FIRST_PAUSE_MS), MAX_PAUSE_MS));
  }
}
