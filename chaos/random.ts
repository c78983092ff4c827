import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A source of random choices. The same seed and names always give the same choices, whatever other streams draw. */
export interface Stream {
  /** An integer from `from` to `to`, both included. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks an item with a probability in proportion to its weight. */
  weighted<T>(items: readonly (readonly [item: T, weight: number])[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** 32 hexadecimal digits, the longest id that a provider may use (docs/interface#round-id-length). */
  id(): string;
}

/** One stream for each list of names. A draw from one stream never changes the draws of another. */
export function stream(seed: number, ...names: (string | number)[]): Stream {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...names]))
    .digest();
  const generator = xoroshiro128plus(digest.readInt32BE(0));
  const int = (from: number, to: number): number => uniformInt(generator, from, to);
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[int(0, items.length - 1)] as T;
  };
  return {
    int,
    pick,
    chance: (probability) => int(1, 1_000_000) <= probability * 1_000_000,
    weighted: (items) => {
      let left = int(
        1,
        items.reduce((sum, [, weight]) => sum + weight, 0),
      );
      for (const [item, weight] of items) if ((left -= weight) <= 0) return item;
      throw new RangeError('nothing to pick from');
    },
    shuffled: (items) => {
      const left = [...items];
      return items.map(() => left.splice(int(0, left.length - 1), 1)[0]!);
    },
    id: () => Array.from({ length: 32 }, () => int(0, 15).toString(16)).join(''),
  };
}
