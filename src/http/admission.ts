import { LRUCache } from 'lru-cache';
import { refuse } from '../domain/errors';
import type { MonotonicClock } from '../domain/time';

export interface AdmissionOptions {
  /** Calls that this process answers at a time. */
  calls: number;
  monotonicNow: MonotonicClock;
}

/** A call that takes longer says that its party has more of them on the way than are being dealt with. */
const SLOW_MS = 5_000;
const DECREASE_FACTOR = 0.8;
/** One crowd of slow calls is one reason, not many. */
const DECREASE_EVERY_MS = 1_000;
/**
 * Where the limits are far off, so many of a party, or of all, that have been slow for so long and not one quick among them
 * are too many; a worker or a server that was away is back sooner.
 */
const SUSTAINED_OVERLOAD = { ofParty: 16, ofAll: 64, forMs: 15_000 };
/** However slow its calls are: enough to find out that they are quick again. */
const MIN_LIMIT = 4;
const MAX_BUCKETS = 10_000;

interface Bucket {
  inFlight: number;
  /** How many it may hold: falls while its calls are slow, rises with those that are not. */
  limit: number;
  decreasedAt: number;
  /** Since when all of its calls have been slow, and when the newest one ended. */
  slow: { since: number; last: number };
}

const NOT_SLOW = { since: -Infinity, last: -Infinity };

const newBucket = (limit: number): Bucket => ({ inFlight: 0, limit, decreasedAt: -Infinity, slow: NOT_SLOW });

/**
 * How many calls are answered at a time, so that those which were taken are answered in time. A party is a provider with
 * one operator's players, or an operator with its own calls.
 *
 * - No party holds more than is left free: one alone half of all, each of two a third, and one that comes later always
 *   finds room.
 * - No party holds more than is dealt with in time: an operator that is slow has its own limit lowered and nobody else's;
 *   when the whole service is slow, all have.
 */
export class Admission {
  #held = 0;
  readonly #parties: LRUCache<string, Bucket>;

  constructor(private readonly options: AdmissionOptions) {
    this.#parties = new LRUCache({ max: MAX_BUCKETS });
  }

  /** @throws RefusedError 503 SERVICEUNAVAILABLE (no room at all), 429 RATELIMITEXCEEDED (none for this party) */
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
      // By one for each round of calls that fill it; what is not used is not known to be good.
      if (party.inFlight >= party.limit / 2) party.limit = Math.min(party.limit + 1 / party.limit, calls);
      return;
    }
    const goesOn = now - party.slow.last <= SUSTAINED_OVERLOAD.forMs;
    party.slow = { since: goesOn ? party.slow.since : now, last: now };
    // Where there are few, one that is slow (a win that is sent again) says nothing of how many there may be.
    const isFull = party.inFlight >= party.limit / 2 || this.#held >= calls / 2;
    const areMany = party.inFlight >= SUSTAINED_OVERLOAD.ofParty || this.#held >= SUSTAINED_OVERLOAD.ofAll;
    const isTooMuch = isFull || (areMany && now - party.slow.since >= SUSTAINED_OVERLOAD.forMs);
    if (isTooMuch && now - party.decreasedAt >= DECREASE_EVERY_MS) {
      party.limit = Math.max(Math.min(party.limit, party.inFlight) * DECREASE_FACTOR, MIN_LIMIT);
      party.decreasedAt = now;
    }
  }
}
