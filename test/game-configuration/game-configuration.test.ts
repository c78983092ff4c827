import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedError } from '../../src/domain/errors';
import {
  createGameConfigurations,
  type GameConfigurationOptions,
  type GameConfigurations,
} from '../../src/game-configuration';
import { machineClock } from '../support/clock';

const OPERATOR = { operatorId: 'op1', currencies: { EUR: 1, JPY: 100, BTC: 0.1 } };
const GAME = { gameCode: 'slot', providerId: 'gp1' };
const ADDRESS = { providerId: 'gp1', gameUrl: 'http://127.0.0.1:9', secrets: ['secret'] };

interface Query {
  currency: string;
  currencyMultiplier: number;
  gameCode: string;
}

/** What a provider tells that keeps to the interface (docs/interface#game-configuration). */
function reply({ currency, currencyMultiplier, gameCode }: Query, over: object = {}) {
  return {
    config: {
      stakes: [10, 20, 50],
      currency,
      currencyMultiplier,
      expectedRtp: 96.1,
      maxPayoutOdds: 500,
      ...over,
    },
    gameCode,
  };
}

let now: number;
let asked: Query[];
let answer: (query: Query) => unknown;
let warnings: unknown[];
let configurations: GameConfigurations;

beforeEach(() => {
  now = 1_000_000;
  asked = [];
  warnings = [];
  answer = (query) => reply(query);
  configurations = made();
});

function made(change: Partial<GameConfigurationOptions> = {}): GameConfigurations {
  return createGameConfigurations({
    provider: {
      getGameConfiguration: async (address, query) => {
        expect(address).toBe(ADDRESS);
        asked.push(query);
        await Promise.resolve();
        return answer(query);
      },
    },
    providerOf: (providerId) => (providerId === 'gp1' ? ADDRESS : undefined),
    logger: { warn: (...line: unknown[]) => void warnings.push(line) },
    monotonicNow: () => now,
    ...change,
  });
}

const get = (currency = 'EUR', operator = OPERATOR, game = GAME) =>
  configurations.get(operator, game, currency);

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => 'not refused',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RefusedError)) throw new Error(`not refused: ${String(error)}`);
  return `${error.refusal.status} ${error.refusal.errorCode.id} ${error.refusal.errorCode.msg}`;
}

describe('what is asked and given', () => {
  it('asks with currency, multiplier and game, and gives the stakes as they were told: nothing is multiplied again', async () => {
    answer = (query) => reply(query, { stakes: [1_000, 2_000] });
    const { config, gameCode } = await get('JPY');
    expect(asked).toEqual([{ currency: 'JPY', currencyMultiplier: 100, gameCode: 'slot' }]);
    expect(gameCode).toBe('slot');
    expect(config).toEqual({
      stakes: [1_000, 2_000],
      currency: 'JPY',
      currencyMultiplier: 100,
      expectedRtp: 96.1,
      maxPayoutOdds: 500,
    });
  });

  it('gives every optional field and additional strings, but no winlineCount, and names only the operator who asks', async () => {
    const optional = {
      oneHundredXOdds: 3.5,
      maxWinOdds: 250,
      maxPayout: 1_000_000,
      maxExposure: 2_000_000,
      calculatedMaxExposure: 1_500_000,
      maxStake: 255,
      minStake: 5,
      maxPackageStake: 25_500,
      volatility: 'high',
    };
    answer = (query) => reply(query, { ...optional, operator: 'op2', winlineCount: 20 });
    const { config } = await get();
    expect(config).toEqual({
      ...reply({ currency: 'EUR', currencyMultiplier: 1, gameCode: 'slot' }).config,
      ...optional,
      operator: 'op1',
    });
  });

  it('a caller who changes what it got changes nobody else’s', async () => {
    (await get()).config.stakes.push(1);
    expect((await get()).config.stakes).toEqual([10, 20, 50]);
  });

  it.each(['XXX', 'toString', '__proto__', ''])(
    'refuses a currency that the operator hasn’t: %j',
    async (currency) => {
      expect(await refusalOf(get(currency))).toMatch(/^400 1000 INVALIDREQUEST: currency/);
      expect(asked).toEqual([]);
    },
  );
});

describe('a malformed answer: 502 GAMEPROVIDERUNAVAILABLE, naming what is wrong', () => {
  const good = reply({ currency: 'EUR', currencyMultiplier: 1, gameCode: 'slot' });
  const without = (field: string) => ({
    ...good,
    config: Object.fromEntries(Object.entries(good.config).filter(([name]) => name !== field)),
  });
  const withConfig = (over: object) => ({ ...good, config: { ...good.config, ...over } });
  const cases: [fault: string, body: unknown][] = [
    ['the reply is no JSON', undefined],
    ['the reply must be an object', null],
    ['the reply must be an object', []],
    ['the reply must be an object', 'no'],
    ['config is missing', { gameCode: 'slot' }],
    ['config must be an object', { ...good, config: 1 }],
    ['gameCode is missing', { config: good.config }],
    ['gameCode must be a string', { ...good, gameCode: 1 }],
    ['gameCode is not the one that was asked for', { ...good, gameCode: 'other' }],
    ...['stakes', 'currency', 'currencyMultiplier', 'expectedRtp', 'maxPayoutOdds'].map(
      (field): [string, unknown] => [`config.${field} is missing`, without(field)],
    ),
    ['config.currency is not the one that was asked for', withConfig({ currency: 'USD' })],
    ['config.currency must be a string', withConfig({ currency: 978 })],
    ['config.currencyMultiplier is not the one that was asked for', withConfig({ currencyMultiplier: 100 })],
    ['config.currencyMultiplier must be a number', withConfig({ currencyMultiplier: '1' })],
    ['config.stakes must be an array of numbers', withConfig({ stakes: '10' })],
    ['config.stakes must not be empty', withConfig({ stakes: [] })],
    ['config.stakes must have at most 1000 entries', withConfig({ stakes: Array(1_001).fill(1) })],
    ...[0.5, '10', -1, 0, null, 2 ** 53, NaN].map((wrong): [string, unknown] => [
      'config.stakes.1 must be an integer from 1 in minor units',
      withConfig({ stakes: [10, wrong] }),
    ]),
    ['config.expectedRtp must be a number', withConfig({ expectedRtp: '96' })],
    ['config.maxPayoutOdds must not be negative', withConfig({ maxPayoutOdds: -1 })],
    ...[
      'oneHundredXOdds',
      'maxWinOdds',
      'maxPayout',
      'maxExposure',
      'calculatedMaxExposure',
      'winlineCount',
    ].map((field): [string, unknown] => [`config.${field} must be a number`, withConfig({ [field]: '1' })]),
    ...['maxStake', 'minStake', 'maxPackageStake'].map((field): [string, unknown] => [
      `config.${field} must be an integer from 0 in minor units`,
      withConfig({ [field]: 0.5 }),
    ]),
    ['config.operator must be a string', withConfig({ operator: 1 })],
    ['config.volatility must be a string', withConfig({ volatility: 3 })],
    ['config.a?b must be a string', withConfig({ 'a\nb': {} })],
    ['config.note must have at most 4096 characters', withConfig({ note: 'x'.repeat(4_097) })],
    [
      'config must have at most 200 entries',
      withConfig(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`entry${index}`, '']))),
    ],
  ];
  it.each(cases)('%s', async (fault, body) => {
    answer = () => body;
    expect(await refusalOf(get())).toContain(
      `502 3003 GAMEPROVIDERUNAVAILABLE: malformed game configuration: ${fault}`,
    );
  });

  it('no answer at all, and a provider that nobody knows', async () => {
    answer = () => {
      throw new Error('the provider did not answer: time-out');
    };
    expect(await refusalOf(get())).toBe(
      '502 3003 GAMEPROVIDERUNAVAILABLE: the provider did not answer: time-out',
    );
    expect(await refusalOf(get('EUR', OPERATOR, { gameCode: 'slot', providerId: 'gp9' }))).toBe(
      '502 3003 GAMEPROVIDERUNAVAILABLE: the provider is not known',
    );
  });
});

describe('the cache', () => {
  const MINUTE = 60_000;

  it('asks once in five minutes, for each game, currency and multiplier', async () => {
    await get();
    now += 5 * MINUTE - 1;
    await get();
    expect(asked).toHaveLength(1);
    await get('JPY');
    await get('EUR', OPERATOR, { ...GAME, gameCode: 'other' });
    await get('EUR', { operatorId: 'op2', currencies: { EUR: 10, JPY: 100, BTC: 0.1 } });
    expect(asked).toHaveLength(4);
    now += 1;
    await get();
    expect(asked).toHaveLength(5);
  });

  it('of many at once only one asks', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => get()));
    expect(asked).toHaveLength(1);
    expect(new Set(all.map(({ config }) => config.stakes)).size).toBe(50);
  });

  it('a failure is everybody’s who waits, and nobody’s who comes later', async () => {
    const good = answer;
    answer = () => ({});
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => get()));
    expect(all.every(({ status }) => status === 'rejected')).toBe(true);
    expect(asked).toHaveLength(1);
    answer = good;
    expect((await get()).config.stakes).toEqual([10, 20, 50]);
  });

  it('gives an older one while the provider fails, with a pause between the questions, for an hour at most', async () => {
    await get();
    answer = () => ({});
    now += 5 * MINUTE;
    expect((await get()).config.stakes).toEqual([10, 20, 50]);
    expect(warnings).toHaveLength(1);
    await get();
    expect(asked).toHaveLength(2);
    now += 5_000;
    await get();
    expect(asked).toHaveLength(3);
    now = 1_000_000 + 60 * MINUTE;
    expect(await refusalOf(get())).toContain('502 3003');
    answer = (query) => reply(query, { stakes: [99] });
    expect((await get()).config.stakes).toEqual([99]);
  });

  it('is asked again when it is old, also when the clock is set back meanwhile', async () => {
    const clock = machineClock();
    configurations = made({ monotonicNow: undefined, maxAgeMs: 20 });
    await get();
    clock.setBack();
    await sleep(30);
    await get();
    expect(asked).toHaveLength(2);
    jest.restoreAllMocks();
  });

  it('keeps a bounded number', async () => {
    configurations = made({ maxEntries: 2 });
    for (const currency of ['EUR', 'JPY', 'BTC', 'EUR']) await get(currency);
    expect(asked).toHaveLength(4);
    await get('BTC');
    expect(asked).toHaveLength(4);
  });
});
