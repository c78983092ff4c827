import { LRUCache } from 'lru-cache';
import { refuse } from '../domain/errors';
import type { MonotonicClock } from '../domain/time';

export interface AdmissionOptions {
  /** Most calls that this process handles at the same time. */
  calls: number;
  monotonicNow: MonotonicClock;
}

/** A call that takes longer shows that its party has too many calls in flight. */
const SLOW_MS = 5_000;
const DECREASE_FACTOR = 0.8;
/** Slow calls that end at about the same time lower the limit only once. */
const DECREASE_EVERY_MS = 1_000;
/**
 * Lowers the limit also when it is far from reached: this many calls in flight (of a party or of all), only slow ones for
 * this long. A restart of a worker or server takes less time.
 */
const SUSTAINED_OVERLOAD = { ofParty: 16, ofAll: 64, forMs: 15_000 };
/** The lowest limit. It lets enough calls through to notice that they are quick again. */
const MIN_LIMIT = 4;
const MAX_BUCKETS = 10_000;

interface Bucket {
  inFlight: number;
  /** The most calls in flight of this party. Falls after slow calls and rises after quick ones. */
  limit: number;
  decreasedAt: number;
  /** `since`: the start of a period with slow calls only; `last`: the end of its newest call. */
  slow: { since: number; last: number };
}

const NOT_SLOW = { since: -Infinity, last: -Infinity };

const newBucket = (limit: number): Bucket => ({ inFlight: 0, limit, decreasedAt: -Infinity, slow: NOT_SLOW });

/**
 * Limits the calls in flight, so that accepted calls are answered in time. A party is a provider with one operator's players,
 * or an operator with its own calls.
 *
 * - A party may hold at most as many calls as are free: one party alone half of all, two parties a third each. So a party
 *   that comes later always finds room.
 * - The limit of a party adapts (additive increase, multiplicative decrease): a slow operator lowers only its own limit. If
 *   the whole service is slow, all limits fall.
 */
export class Admission {
  #held = 0;
  readonly #parties: LRUCache<string, Bucket>;

  constructor(private readonly options: AdmissionOptions) {
    this.#parties = new LRUCache({ max: MAX_BUCKETS });
  }

  /** @throws RefusedError 503 SERVICEUNAVAILABLE (no call is free), 429 RATELIMITEXCEEDED (none for this party) */
  async within<T>(name: string, work: () => Promise<T>): Promise<T> {
    const free = this.options.calls - this.#held;
    if (free <= 0) throw refuse('SERVICEUNAVAILABLE', 'too many calls at the same time');
    const party = this.#parties.get(name) ?? newBucket(this.options.calls);
    this.#parties.set(name, party);
    if (party.inFlight >= Math.min(free, Math.floor(party.limit))) throw refuse('RATELIMITEXCEEDED');
    const began = this.options.monotonicNow();
    party.inFlight += 1;
    this.#held += 1;
    try {
      return await work();
    } finally {
      this.#adapt(party, began);
      party.inFlight -= 1;
      this.#held -= 1;
    }
  }

  #adapt(party: Bucket, began: number): void {
    const now = this.options.monotonicNow();
    const { calls } = this.options;
    if (now - began <= SLOW_MS) {
      party.slow = NOT_SLOW;
      // Rises by about one per `limit` quick calls, and only if at least half of the limit is used.
      if (party.inFlight >= party.limit / 2) party.limit = Math.min(party.limit + 1 / party.limit, calls);
      return;
    }
    const goesOn = now - party.slow.last <= SUSTAINED_OVERLOAD.forMs;
    party.slow = { since: goesOn ? party.slow.since : now, last: now };
    // With few calls in flight, a slow one (such as a retried credit) does not show an overload.
    const isFull = party.inFlight >= party.limit / 2 || this.#held >= calls / 2;
    const areMany = party.inFlight >= SUSTAINED_OVERLOAD.ofParty || this.#held >= SUSTAINED_OVERLOAD.ofAll;
    const isTooMuch = isFull || (areMany && now - party.slow.since >= SUSTAINED_OVERLOAD.forMs);
    if (isTooMuch && now - party.decreasedAt >= DECREASE_EVERY_MS) {
      party.limit = Math.max(Math.min(party.limit, party.inFlight) * DECREASE_FACTOR, MIN_LIMIT);
      party.decreasedAt = now;
    }
  }
}
