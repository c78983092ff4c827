import type { MonotonicClock } from './domain/time';
/** A worker asks for work again after at most 60 s. */
const POLLED_WITHIN_MS = 70_000;

export interface Poller {
  identity: string;
  /** By the Temporal server's clock, ms since the epoch. */
  lastAccessMs: number;
}

/**
 * Whether a worker is there, by what the Temporal server says of those who asked it for work: one counts for 70 s from
 * when it was seen to have asked again, so it has to be looked at every few seconds. The server's clock and ours need not
 * agree; they are compared only by the first look.
 */
export function createWorkerLiveness(
  monotonicNow: MonotonicClock = () => performance.now(),
): (pollers: readonly Poller[]) => boolean {
  let seen: Map<string, { lastAccessMs: number; changedAt: number }> | undefined;

  function changedAt({ identity, lastAccessMs }: Poller): number {
    const known = seen?.get(identity);
    if (known?.lastAccessMs === lastAccessMs) return known.changedAt;
    // Who wasn't there at the last look, or at another time, has asked since.
    const isThere = seen !== undefined || Date.now() - lastAccessMs <= POLLED_WITHIN_MS;
    return isThere ? monotonicNow() : -Infinity;
  }

  return (pollers) => {
    // The server forgets who has not asked for minutes, and so do we.
    seen = new Map(
      pollers.map((poller) => {
        const { identity, lastAccessMs } = poller;
        return [identity, { lastAccessMs, changedAt: changedAt(poller) }];
      }),
    );
    return [...seen.values()].some((one) => monotonicNow() - one.changedAt <= POLLED_WITHIN_MS);
  };
}
