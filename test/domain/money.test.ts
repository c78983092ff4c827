import fc from 'fast-check';
import {
  addAmounts,
  beforeMultiplier,
  exactSum,
  isAmount,
  majorUnits,
  MAX_AMOUNT,
  moneyText,
  timesMultiplier,
} from '../../src/domain/money';
import { gameRoundInfo } from '../../src/domain/round/replies';
import { opened } from './support';

describe('amounts: integers from 0 to 2^53-1 in minor units, also sums', () => {
  it('the largest is 2^53 - 1', () => {
    expect(MAX_AMOUNT).toBe(9007199254740991);
  });

  it.each([0, 1, 250, 100_000_000, 9007199254740991])('%p is one', (value) => {
    expect(isAmount(value)).toBe(true);
  });

  it.each([
    [0.5],
    [-1],
    [1e21],
    [9007199254740992],
    // Reads as ...992.
    [Number('9007199254740993')],
    ['100'],
    [''],
    [-0],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [null],
    [undefined],
    [true],
    [[100]],
    [{ amount: 100 }],
    [100n],
  ])('%p is none', (value) => {
    expect(isAmount(value)).toBe(false);
  });

  it.each([
    [0, 0, 0],
    [1, 2, 3],
    [MAX_AMOUNT, 0, MAX_AMOUNT],
    [MAX_AMOUNT - 1, 1, MAX_AMOUNT],
  ])('%p + %p = %p', (left, right, sum) => {
    expect(addAmounts(left, right)).toBe(sum);
  });

  it.each([
    [MAX_AMOUNT, 1],
    [1, MAX_AMOUNT],
    [MAX_AMOUNT, MAX_AMOUNT],
    [MAX_AMOUNT - 1, 2],
  ])('%p + %p has no exact sum', (left, right) => {
    expect(addAmounts(left, right)).toBeUndefined();
  });
});

describe('timesMultiplier', () => {
  it.each([
    [250, 100, 25_000],
    [30, 0.1, 3],
    [70, 0.1, 7],
    [1_000_003, 0.1, 100_000],
    [3, 1e-7, 0],
    [5, 1e21, Number.MAX_SAFE_INTEGER],
    [9_007_199_254_740_991, 1, 9_007_199_254_740_991],
    [0, 0.1, 0],
  ])('%d × %d is %d', (amount, multiplier, product) => {
    expect(timesMultiplier(amount, multiplier, 'down')).toBe(product);
  });

  it('leaves a fraction on the side that keeps the limit', () => {
    expect(timesMultiplier(255, 0.1, 'down')).toBe(25);
    expect(timesMultiplier(255, 0.1, 'up')).toBe(26);
    expect(timesMultiplier(30, 0.1, 'up')).toBe(3);
  });

  it('is always an exact integer', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 1_000_000_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        (amount, thousandths) => {
          const down = timesMultiplier(amount, thousandths / 1_000, 'down');
          expect(down).toBe(Number((BigInt(amount) * BigInt(thousandths)) / 1_000n));
        },
      ),
    );
  });
});

/** A multiplier as it is written in a tenants' file, and as the fraction of integers that it is. */
const MULTIPLIERS = fc
  .tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, places]) => ({ multiplier: Number(`${digits}e-${places}`), digits, places }));

describe('a stake before the multiplier', () => {
  it.each([
    [33, 1.1, 30],
    [77, 1.1, 70],
    [3, 0.1, 30],
    [7, 0.07, 100],
    [9_007_199_254_740_991, 1, 9_007_199_254_740_991],
    [1, 1e9, 1e-9],
    [100, 3, 100 / 3],
    [0, 1.1, 0],
  ])('%d with multiplier %d is %d', (stake, multiplier, base) => {
    expect(beforeMultiplier(stake, multiplier)).toBe(base);
    const { state } = opened();
    const identity = { ...state.identity, currencyMultiplier: multiplier };
    expect(gameRoundInfo({ ...state, stake, identity }).baseStake).toBe(base);
  });

  it('is what was multiplied, to the unit', () => {
    fc.assert(
      fc.property(fc.nat(), MULTIPLIERS, (base, { multiplier, digits, places }) => {
        const units = BigInt(base) * BigInt(digits);
        const scale = 10n ** BigInt(places);
        fc.pre(units % scale === 0n && units / scale <= BigInt(MAX_AMOUNT));
        const stake = Number(units / scale);
        expect(timesMultiplier(base, multiplier, 'down')).toBe(stake);
        expect(beforeMultiplier(stake, multiplier)).toBe(base);
      }),
    );
  });

  it('is otherwise the number nearest to it', () => {
    fc.assert(
      fc.property(fc.nat(), MULTIPLIERS, (stake, { multiplier, digits, places }) => {
        const distance = (value: number): number => {
          const [shifted, scale] = [BigInt(Math.round(value * 2 ** 20)), 2n ** 20n];
          const off = BigInt(stake) * 10n ** BigInt(places) * scale - shifted * BigInt(digits);
          return Number(off < 0n ? -off : off) / (digits * 2 ** 20);
        };
        const base = beforeMultiplier(stake, multiplier);
        expect(distance(base)).toBeLessThanOrEqual(Math.max(2 ** -20, base * Number.EPSILON));
      }),
    );
  });
});

describe('sums of what an operator tells', () => {
  it.each([
    [[], 0],
    [[1, 2, 3], 6],
    [[0.1, 0.2], 0.3],
    [[10.1, 20.2, -0.3], 30],
    [[-5, 2.5], -2.5],
    [[1e21, 1], 1e21],
    [[1e-7, 2e-7], 3e-7],
  ])('%j is %d', (amounts, sum) => {
    expect(exactSum(amounts)).toBe(sum);
  });

  it('do not depend on the order', () => {
    const cents = fc.integer({ min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(fc.array(cents, { maxLength: 20 }), (all) => {
        const sum = all.reduce((total, one) => total + one, 0);
        const amounts = all.map((one) => one / 100);
        expect(exactSum(amounts)).toBe(sum / 100);
        expect(exactSum(amounts.reverse())).toBe(sum / 100);
      }),
    );
  });
});

describe('money for people', () => {
  it.each([
    [700, 'EUR', '7.00 EUR', 7],
    [5, 'EUR', '0.05 EUR', 0.05],
    [0, 'USD', '0.00 USD', 0],
    [700, 'JPY', '700 JPY', 700],
    [12_345, 'KWD', '12.345 KWD', 12.345],
    [700, 'HUF', '7.00 HUF', 7],
    [1, 'CLF', '0.0001 CLF', 0.0001],
    [MAX_AMOUNT, 'EUR', '90071992547409.91 EUR', 90_071_992_547_409.91],
    [700, 'mBTC', '700 minor units of mBTC', 700],
  ])('%d of %s is %s', (amount, currency, text, major) => {
    expect(moneyText(amount, currency)).toBe(text);
    expect(majorUnits(amount, currency)).toBe(major);
  });
});
