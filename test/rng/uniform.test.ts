import { below, between, createDraws, cryptographic, shuffled, SPACE } from '../../src/rng/uniform';

/** Hands out the given draws, then fails. */
function script(draws: number[]): () => number {
  const left = [...draws];
  return () => {
    const next = left.shift();
    if (next === undefined) throw new Error('the script is over');
    return next;
  };
}

/** Fills with the given bytes, then with zeros. */
function bytes(given: number[]) {
  const left = [...given];
  return (into: Uint8Array) => {
    for (let at = 0; at < into.length; at += 1) into[at] = left.shift() ?? 0;
  };
}

const honest = () => createDraws(cryptographic, 1_024);

/**
 * Bounds that honest numbers break with a probability below 1e-9: for chi-square the 1 - 1e-10 quantile (computed from
 * the regularised gamma function), rounded up.
 */
const CHI_SQUARE_BOUND: Record<number, number> = { 5: 57, 23: 96, 99: 217, 255: 427 };

function chiSquare(counts: number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

function expectUniform(cells: number, draws: number, cellOf: () => number): void {
  const counts = Array.from({ length: cells }, () => 0);
  for (let drawn = 0; drawn < draws; drawn += 1) counts[cellOf()]! += 1;
  expect(chiSquare(counts)).toBeLessThan(CHI_SQUARE_BOUND[cells - 1]!);
}

describe('draws of 53 bits', () => {
  it('take their bits from 7 bytes: the low 5 of the first, all of the others', () => {
    expect(createDraws(bytes([0, 0, 0, 0, 0, 0, 0]), 1)()).toBe(0);
    expect(createDraws(bytes([0, 0, 0, 0, 0, 0, 1]), 1)()).toBe(1);
    expect(createDraws(bytes([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), 1)()).toBe(SPACE - 1);
    expect(createDraws(bytes([0xe0, 0, 0, 0, 0, 0, 0]), 1)()).toBe(0);
    expect(createDraws(bytes([0x10, 0, 0, 0, 0, 0, 0]), 1)()).toBe(2 ** 52);
  });

  it('use every byte once, over the end of the pool too, and wipe what was used', () => {
    const pools: Uint8Array[] = [];
    let next = 0;
    const draw = createDraws((into) => {
      pools.push(into);
      for (let at = 0; at < into.length; at += 7) into.set([0, 0, 0, 0, 0, 0, (next += 1)], at);
    }, 3);
    expect(Array.from({ length: 8 }, draw)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...pools[0]!].filter((byte) => byte !== 0)).toEqual([9]);
  });

  it('have every bit set half of the time', () => {
    const draw = honest();
    const set = Array.from({ length: 53 }, () => 0);
    for (let drawn = 0; drawn < 20_000; drawn += 1) {
      let bits = BigInt(draw());
      for (let bit = 0; bit < 53; bit += 1, bits >>= 1n) set[bit]! += Number(bits & 1n);
    }
    // 8 standard deviations of 20,000 coins; 53 bits: below 1e-12.
    set.forEach((count) => expect(Math.abs(count - 10_000)).toBeLessThan(8 * Math.sqrt(5_000)));
  });
});

describe('integers', () => {
  it('are without bias: of every possible draw each value gets the same share', () => {
    for (const [size, space] of [
      [6, 256],
      [7, 256],
      [100, 256],
      [129, 256],
      [255, 256],
      [256, 256],
      [1, 256],
      [1_000, 65_536],
    ] as const) {
      const counts = Array.from({ length: size }, () => 0);
      let refused = 0;
      for (let drawn = 0; drawn < space; drawn += 1) {
        let tries = 0;
        // A draw that is turned down is followed by 0, which is always good.
        const value = below(size, () => (tries++ === 0 ? drawn : 0), space);
        if (tries === 1) counts[value]! += 1;
        else refused += 1;
      }
      expect(new Set(counts)).toEqual(new Set([Math.floor(space / size)]));
      expect(refused).toBe(space % size);
    }
  });

  it('turn down what lies beyond the last whole multiple, in the real space', () => {
    // 2^53 mod 10 is 2: the last two draws are turned down.
    expect(below(10, script([SPACE - 1, SPACE - 2, SPACE - 3]))).toBe((SPACE - 3) % 10);
    expect(below(SPACE, script([SPACE - 1]))).toBe(SPACE - 1);
    // The worst size: hardly more than half of the draws are good.
    expect(below(2 ** 52 + 1, script([SPACE - 1, 2 ** 52 + 1, 2 ** 52]))).toBe(2 ** 52);
  });

  it('give up on a source that never gives a good draw', () => {
    expect(() => below(10, () => SPACE - 1)).toThrow('the random source is broken');
  });

  it('are uniform: a die, and bytes (chi-square)', () => {
    const draw = honest();
    expectUniform(6, 60_000, () => below(6, draw));
    expectUniform(256, 200_000, () => below(256, draw));
  });
});

describe('doubles', () => {
  it('have 53 bits: the smallest step and the largest value below 1', () => {
    expect(between(0, 1, script([0]))).toBe(0);
    expect(between(0, 1, script([1]))).toBe(2 ** -53);
    expect(between(0, 1, script([SPACE - 1]))).toBe(1 - 2 ** -53);
  });

  it('use all of them: 53 bits are whole numbers of steps, half of them odd', () => {
    const draw = honest();
    let odd = 0;
    for (let drawn = 0; drawn < 20_000; drawn += 1) {
      const steps = between(0, 1, draw) * SPACE;
      expect(Number.isInteger(steps)).toBe(true);
      odd += steps % 2;
    }
    expect(Math.abs(odd - 10_000)).toBeLessThan(8 * Math.sqrt(5_000));
  });

  it('are never max, also where rounding leads to it', () => {
    // 1 + (1 - 2^-53) rounds to 2: drawn again.
    expect(1 + (SPACE - 1) / SPACE).toBe(2);
    expect(between(1, 2, script([SPACE - 1, SPACE / 2]))).toBe(1.5);
    // Nothing but min lies in the range.
    expect(between(1, 1 + 2 ** -52, script([SPACE - 1, 1]))).toBe(1);
    const draw = honest();
    for (let drawn = 0; drawn < 2_000; drawn += 1) {
      const value = between(1e15, 1e15 + 1, draw);
      expect(value >= 1e15 && value < 1e15 + 1).toBe(true);
    }
  });

  it('are uniform, and so are pairs of neighbours (chi-square)', () => {
    const draw = honest();
    expectUniform(100, 100_000, () => Math.floor(between(0, 1, draw) * 100));
    expectUniform(
      100,
      100_000,
      () => Math.floor(between(0, 1, draw) * 10) * 10 + Math.floor(between(0, 1, draw) * 10),
    );
  });
});

describe('shuffles', () => {
  it('are Fisher-Yates: the draws lead to the permutation', () => {
    // last = 3: 0 of 4; last = 2: 2 of 3 (stays); last = 1: 0 of 2.
    expect(shuffled(1, 4, script([0, 2, 0]))).toEqual([2, 4, 3, 1]);
    expect(shuffled(5, 5, script([]))).toEqual([5]);
  });

  it('give each of the 24 permutations of 4 the same share (chi-square)', () => {
    const draw = honest();
    const known = new Map<string, number>();
    const cellOf = (permutation: string): number => {
      if (!known.has(permutation)) known.set(permutation, known.size);
      return known.get(permutation)!;
    };
    expectUniform(24, 48_000, () => cellOf(shuffled(1, 4, draw).join('')));
    expect(known.size).toBe(24);
  });
});
