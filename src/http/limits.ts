import { LRUCache } from 'lru-cache';
import { refuse, type RefusedError } from '../domain/errors';
import type { HttpLimits } from './deps';

const WINDOW_MS = 60_000;
const MAX_GUESSERS = 20_000;

/** Bounds how often one party can guess. @see HttpLimits */
export class Limits {
  readonly #guesses: LRUCache<string, { count: number; until: number }>;

  constructor(
    private readonly limits: HttpLimits,
    private readonly clock: () => number,
  ) {
    this.#guesses = new LRUCache({ max: MAX_GUESSERS });
  }

  /**
   * Runs a look-up of a token. Whoever asked for too many that don't exist is refused for the rest of the minute,
   * before it is looked up, so that a right guess is refused as well.
   */
  async guessing<T>(by: { address: string } | { providerId: string }, lookUp: () => Promise<T>): Promise<T> {
    const isAddress = 'address' in by;
    const key = isAddress ? `address:${by.address}` : `provider:${by.providerId}`;
    const most = isAddress ? this.limits.unknownTokensPerAddress : this.limits.unknownTokensPerProvider;
    const known = this.#guesses.get(key);
    const now = this.clock();
    const current = known !== undefined && known.until > now ? known : { count: 0, until: now + WINDOW_MS };
    if (current.count >= most) throw refuse('RATELIMITEXCEEDED');
    try {
      return await lookUp();
    } catch (error) {
      if ((error as Partial<RefusedError>).refusal?.errorCode.msg === 'TOKENNOTFOUND') {
        current.count += 1;
        this.#guesses.set(key, current);
      }
      throw error;
    }
  }
}
