import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { refuse, type RefusedError } from '../domain/errors';
import type { HttpLimits } from './deps';
import type { MonotonicClock } from '../domain/time';

const WINDOW_MS = 60_000;
const MAX_GUESSERS = 20_000;

/** Bounds how often one party can guess. @see HttpLimits */
export class Limits {
  readonly #guesses: LRUCache<string, { count: number; until: number }>;

  constructor(
    private readonly limits: HttpLimits,
    private readonly monotonicNow: MonotonicClock,
    private readonly onUnknownToken: () => void = () => undefined,
  ) {
    this.#guesses = new LRUCache({ max: MAX_GUESSERS });
  }

  /**
   * Runs a look-up of a token. Whoever asked for too many that don't exist is told RATELIMITEXCEEDED for every further one
   * until the minute is over. Only failures count, and a token that exists is never refused: players behind one proxy,
   * or a provider's other players, are not locked out by one who guesses, and nobody guesses 256 bits.
   */
  async throttleUnknownTokens<T>(
    by: { address: string } | { providerId: string },
    lookUp: () => Promise<T>,
  ): Promise<T> {
    try {
      return await lookUp();
    } catch (error) {
      if ((error as Partial<RefusedError>).refusal?.errorCode.msg !== 'TOKENNOTFOUND') throw error;
      this.onUnknownToken();
      const secondsLeft = this.#countGuess(by);
      if (secondsLeft === undefined) throw error;
      throw Object.assign(refuse('RATELIMITEXCEEDED'), { retryAfterSeconds: secondsLeft });
    }
  }

  /** Seconds until the next guess is let pass; undefined when this one still is. */
  #countGuess(by: { address: string } | { providerId: string }): number | undefined {
    const isAddress = 'address' in by;
    const key = isAddress ? `address:${networkOf(by.address)}` : `provider:${by.providerId}`;
    const most = isAddress ? this.limits.unknownTokensPerAddress : this.limits.unknownTokensPerProvider;
    const known = this.#guesses.get(key);
    const now = this.monotonicNow();
    const current = known !== undefined && known.until > now ? known : { count: 0, until: now + WINDOW_MS };
    current.count += 1;
    this.#guesses.set(key, current);
    return current.count > most ? Math.ceil((current.until - now) / 1_000) : undefined;
  }
}

/** Of an IPv6 address what one subscriber has, a /64: its other half is theirs to choose. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'none';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
