import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { refuse, type RefusedError } from '../domain/errors';
import type { HttpLimits } from './deps';
import type { MonotonicClock } from '../domain/time';

const WINDOW_MS = 60_000;
const MAX_GUESSERS = 20_000;

/** Limits how many unknown tokens one party can try. @see HttpLimits */
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
   * Looks up a token. After too many unknown tokens a party gets RATELIMITEXCEEDED for each further unknown token, until the
   * minute is over. A known token is never refused, so one guesser does not lock out other players behind the same proxy or
   * of the same provider. Guessing 256 bits is impossible anyway.
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

  /** Seconds until the next guess is allowed; undefined if this guess is allowed. */
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

/** The address, or the /64 network of an IPv6 address: one subscriber can use all addresses of a /64. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'none';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
