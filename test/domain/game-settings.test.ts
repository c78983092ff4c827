import fc from 'fast-check';
import { gameSettingsOf, timesMultiplier } from '../../src/domain/game-settings';
import { BOOLEANS, NUMBER_ARRAYS, NUMBERS, STRING_ARRAYS, STRINGS } from '../support/spec-settings';

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

describe('gameSettingsOf', () => {
  it('has every setting of the spec, of its type', () => {
    const settings = gameSettingsOf([], 1);
    const of = (names: readonly string[], value: unknown) => names.map((name) => [name, value]);
    expect(settings).toEqual(
      Object.fromEntries([
        ...of(BOOLEANS, false),
        ...of(NUMBERS, 0),
        ...of(STRINGS, ''),
        ...of([...NUMBER_ARRAYS, ...STRING_ARRAYS], []),
      ]),
    );
    expect([BOOLEANS.length, NUMBERS.length, STRINGS.length]).toEqual([35, 10, 9]);
  });

  it('lets later layers win, and multiplies the money once', () => {
    const settings = gameSettingsOf(
      [
        { maxStake: 100, minStake: 1, turboEnabled: true, maxExposure: 5 },
        { turboEnabled: false },
        { maxStake: 50 },
      ],
      100,
    );
    expect(settings).toMatchObject({ maxStake: 5_000, minStake: 100, turboEnabled: false, maxExposure: 5 });
  });
});
