import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A source of choices that gives the same ones for the same seed and name, whatever else was drawn meanwhile. */
export interface Stream {
  /** Both included. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Each item as often as its weight says. */
  weighted<T>(items: readonly (readonly [item: T, weight: number])[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** 32 hexadecimal digits: what a provider's own ids may have (docs/interface#round-id-length). */
  id(): string;
}

/** One stream for each name: what one part draws never shifts what another gets. */
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
