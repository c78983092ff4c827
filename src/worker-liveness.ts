import type { MonotonicClock } from './domain/time';
/** A worker polls again after at most 60 s. */
const POLLED_WITHIN_MS = 70_000;

export interface Poller {
  identity: string;
  /** By the Temporal server's clock, ms since the epoch. */
  lastAccessMs: number;
}

/**
 * Whether a worker is alive, by the pollers that the Temporal server lists. A worker counts as alive for 70 s after a check
 * saw a new poll, so check every few seconds. The server's clock and ours may differ: they are compared only in the first
 * check.
 */
export function createWorkerLiveness(
  monotonicNow: MonotonicClock = () => performance.now(),
): (pollers: readonly Poller[]) => boolean {
  let seen: Map<string, { lastAccessMs: number; changedAt: number }> | undefined;

  function changedAt({ identity, lastAccessMs }: Poller): number {
    const known = seen?.get(identity);
    if (known?.lastAccessMs === lastAccessMs) return known.changedAt;
    // A poller that is new or has another time than in the last check has polled since.
    const isThere = seen !== undefined || Date.now() - lastAccessMs <= POLLED_WITHIN_MS;
    return isThere ? monotonicNow() : -Infinity;
  }

  return (pollers) => {
    // The server drops pollers after some minutes without a poll, and so does this map.
    seen = new Map(
      pollers.map((poller) => {
        const { identity, lastAccessMs } = poller;
        return [identity, { lastAccessMs, changedAt: changedAt(poller) }];
      }),
    );
    return [...seen.values()].some((one) => monotonicNow() - one.changedAt <= POLLED_WITHIN_MS);
  };
}
