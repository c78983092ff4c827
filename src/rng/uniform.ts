import { randomFillSync } from 'node:crypto';

/** Draws are integers from 0 to SPACE - 1. A draw / SPACE is a double in [0, 1) with full resolution. */
export const SPACE = 2 ** 53;
const BYTES_PER_DRAW = 7;
/** A good random source fails in less than half of the tries, so it never reaches this number. */
const MAX_TRIES = 1_000;

/** Fills the array with random bytes. */
export type FillRandom = (bytes: Uint8Array) => void;

/** Node's cryptographic generator, which the operating system's generator seeds. */
export const cryptographic: FillRandom = (bytes) => void randomFillSync(bytes);

/**
 * Uniform integers in [0, SPACE): 53 bits from every 7 bytes. Bytes for `poolDraws` draws are fetched at once. Used bytes are
 * overwritten, so that no draw can be read from memory later.
 */
export function createDraws(fill: FillRandom, poolDraws: number): () => number {
  const pool = Buffer.alloc(BYTES_PER_DRAW * poolDraws);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      fill(pool);
      at = 0;
    }
    const draw = (pool[at]! & 0x1f) * 2 ** 48 + pool.readUIntBE(at + 1, 6);
    pool.fill(0, at, at + BYTES_PER_DRAW);
    at += BYTES_PER_DRAW;
    return draw;
  };
}

/**
 * Uniform in [0, size) without bias: a draw above the last whole multiple of `size` is repeated.
 * @param space the number of possible values of `draw`, at least `size`
 */
export function below(size: number, draw: () => number, space = SPACE): number {
  const limit = space - (space % size);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const drawn = draw();
    if (drawn < limit) return drawn % size;
  }
  throw new Error('the random source is broken');
}

/** Uniform in [min, max) with 53 bits. Rounding can give `max` itself; then the draw is repeated. */
export function between(min: number, max: number, draw: () => number): number {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const value = min + (draw() / SPACE) * (max - min);
    if (value < max) return value;
  }
  throw new Error('the random source is broken');
}

/** A permutation of min..max. All permutations are equally likely (Fisher-Yates). */
export function shuffled(min: number, max: number, draw: () => number): number[] {
  const values = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  for (let last = values.length - 1; last > 0; last -= 1) {
    const chosen = below(last + 1, draw);
    [values[last], values[chosen]] = [values[chosen]!, values[last]!];
  }
  return values;
}
