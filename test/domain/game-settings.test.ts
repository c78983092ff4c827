import { gameSettingsOf } from '../../src/domain/game-settings';
import { BOOLEANS, NUMBER_ARRAYS, NUMBERS, STRING_ARRAYS, STRINGS } from '../support/spec-settings';

describe('gameSettingsOf', () => {
  it('has every setting of the interface, of its type', () => {
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
