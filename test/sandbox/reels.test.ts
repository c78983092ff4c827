import * as fc from 'fast-check';
import {
  bonusWin,
  expectedRtp,
  oddsOf,
  seededNumbers,
  spinReels,
  stakeLadder,
} from '../../sandbox/game/reels';

test('the return to player is what the pay table says, worked out by hand', () => {
  // Of 20 stops: 1 seven, 2 bells, 3 stars, 4 plums, 5 lemons, 5 cherries. Three of a kind pay 500, 100, 40, 20, 10, 10
  // stakes, two cherries in front of something else 4.
  const paid = 500 * 1 + 100 * 8 + 40 * 27 + 20 * 64 + 10 * 125 + 10 * 125 + 4 * (5 * 5 * 15);
  expect(expectedRtp()).toBeCloseTo((100 * paid) / 8_000, 10);
});

test.each([
  [['seven', 'seven', 'seven'], 500],
  [['cherry', 'cherry', 'cherry'], 10],
  [['cherry', 'cherry', 'seven'], 4],
  [['seven', 'cherry', 'cherry'], 0],
  [['seven', 'bell', 'star'], 0],
] as const)('%j pays %d stakes', (line, odds) => {
  expect(oddsOf(line)).toBe(odds);
});

test('a spin pays whole minor units: stake times odds, of the line it shows', () => {
  const number = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const stake = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(stake, fc.tuple(number, number, number), (bet, numbers) => {
      const spin = spinReels(bet, numbers);
      expect(spin.winAmount).toBe(bet * oddsOf(spin.line));
      expect(Number.isSafeInteger(spin.winAmount)).toBe(true);
      expect(spin.window[1]).toEqual(spin.line);
    }),
  );
});

test.each([[[0.1, 0.2]], [[0.1, 0.2, 1]], [[-0.1, 0, 0]], [[Number.NaN, 0, 0]], [[]]])(
  'numbers %j are refused: a broken source must not pay',
  (numbers) => {
    expect(() => spinReels(10, numbers)).toThrow(RangeError);
  },
);

test('the bonus pays 1, 2, 3, 5 or 8 stakes', () => {
  const paid = [0, 0.2, 0.4, 0.6, 0.8].map((number) => bonusWin(10, [number]));
  expect(paid).toEqual([10, 20, 30, 50, 80]);
});

test('the same seed gives the same numbers, all in [0, 1)', () => {
  const [one, other] = [seededNumbers(42), seededNumbers(42)];
  const numbers = Array.from({ length: 1_000 }, one);
  expect(Array.from({ length: 1_000 }, other)).toEqual(numbers);
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(numbers).size).toBeGreaterThan(990);
});

test('a ladder is of whole minor units, rising, without doubles', () => {
  fc.assert(
    fc.property(fc.constantFrom(0.01, 0.1, 0.3, 1, 7, 10, 100, 12_345.678), (multiplier) => {
      const ladder = stakeLadder(multiplier);
      expect(ladder.length).toBeGreaterThan(0);
      expect(ladder.every((stake) => Number.isSafeInteger(stake) && stake > 0)).toBe(true);
      expect([...ladder].sort((a, b) => a - b)).toEqual(ladder);
    }),
  );
});

test('a ladder is multiplied in decimals: 50 × 0.29 is 14.5, not 14.499999999999998', () => {
  expect(stakeLadder(0.29)).toEqual([3, 6, 15, 29, 58, 145]);
});
