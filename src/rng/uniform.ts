import { randomFillSync } from 'node:crypto';

/** Draws are integers from 0 to SPACE - 1: as many as there are doubles of full resolution in [0, 1). */
export const SPACE = 2 ** 53;
const BYTES_PER_DRAW = 7;
/** An honest source is turned down in fewer than half of the tries: it never comes near. */
const MAX_TRIES = 1_000;

/** Fills the array with random bytes. */
export type FillRandom = (bytes: Uint8Array) => void;

/** The operating system's generator, by way of Node's cryptographic one, which is seeded from it. */
export const cryptographic: FillRandom = (bytes) => void randomFillSync(bytes);

/**
 * Uniform integers in [0, SPACE): 53 bits from every 7 bytes. Bytes are fetched `poolDraws` draws at a time and wiped
 * as they are used, so that no draw can be read back from memory.
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
 * Uniform in [0, size), without bias: what lies beyond the last whole multiple of `size` is drawn again.
 * @param space how many values `draw` has, at least `size`
 */
export function below(size: number, draw: () => number, space = SPACE): number {
  const limit = space - (space % size);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const drawn = draw();
    if (drawn < limit) return drawn % size;
  }
  throw new Error('the random source is broken');
}

/** Uniform in [min, max) with 53 bits. Rounding can lead to `max` itself: that is drawn again. */
export function between(min: number, max: number, draw: () => number): number {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const value = min + (draw() / SPACE) * (max - min);
    if (value < max) return value;
  }
  throw new Error('the random source is broken');
}

/** A permutation of min..max, each equally likely (Fisher-Yates). */
export function shuffled(min: number, max: number, draw: () => number): number[] {
  const values = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  for (let last = values.length - 1; last > 0; last -= 1) {
    const chosen = below(last + 1, draw);
    [values[last], values[chosen]] = [values[chosen]!, values[last]!];
  }
  return values;
}
