import { createGameApp } from '../../sandbox/game/game';
import type { RunningServer } from '../../sandbox/http/server';
import { createProviderClient } from '../../src/clients/game-provider';
import { createHttpClient, type HttpClient } from '../../src/clients/http';
import { createGameConfigurations, type GameConfigurations } from '../../src/game-configuration';

/** The sandbox's game, a provider that knows only docs/interface, over signed HTTP. */
let game: RunningServer;
let http: HttpClient;
let secrets: string[];
let configurations: GameConfigurations;

beforeAll(async () => {
  game = await createGameApp({ provider: { providerId: 'gp1', secrets: ['shared'] } }).start();
});
beforeEach(() => {
  http = createHttpClient({ addresses: 'any' });
  secrets = ['shared'];
  configurations = createGameConfigurations({
    provider: createProviderClient(http),
    providerOf: (providerId) => ({ providerId, gameUrl: game.url, secrets }),
  });
});
afterEach(async () => {
  await fault('DELETE');
  await http.close();
});
afterAll(() => game.close());

async function fault(method: 'POST' | 'DELETE', body?: object): Promise<void> {
  const response = await fetch(`${game.url}/sandbox/faults`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

const operator = { operatorId: 'op1', currencies: { EUR: 1, JPY: 100, KWD: 10, BTC: 0.1 } };
const slot = { gameCode: 'demo-slot', providerId: 'gp1' };

/** The game's base ladder is 10, 20, 50, 100, 200, 500. */
it.each([
  ['EUR', 1, [10, 20, 50, 100, 200, 500]],
  ['JPY', 100, [1_000, 2_000, 5_000, 10_000, 20_000, 50_000]],
  ['KWD', 10, [100, 200, 500, 1_000, 2_000, 5_000]],
  ['BTC', 0.1, [1, 2, 5, 10, 20, 50]],
])('%s: base stakes times %d, once, exact integers', async (currency, currencyMultiplier, stakes) => {
  const { config, gameCode } = await configurations.get(operator, slot, currency);
  expect(gameCode).toBe('demo-slot');
  expect(config).toEqual({
    stakes,
    currency,
    currencyMultiplier,
    expectedRtp: expect.any(Number) as unknown,
    maxPayoutOdds: 500,
  });
  expect(config.stakes.every(Number.isSafeInteger)).toBe(true);
});

const get = () => configurations.get(operator, slot, 'EUR');
const refused = (why: string) => ({
  refusal: { status: 502, errorCode: { id: 3003, msg: `GAMEPROVIDERUNAVAILABLE: ${why}` } },
});

it('a wrong signature: the provider’s refusal is told', async () => {
  secrets = ['another'];
  await expect(get()).rejects.toMatchObject(refused('the provider answered 401'));
});

it.each([
  ['a 500', { fault: 'status', status: 500 }, 'the provider answered 500'],
  ['no JSON', { fault: 'garbage' }, 'malformed game configuration: the reply is no JSON'],
  ['an array', { fault: 'array' }, 'malformed game configuration: the reply must be an object'],
  ['a broken connection', { fault: 'dropReply' }, 'the provider did not answer: ECONNRESET'],
])('%s: refused by name, and right again by the next call', async (_what, request, why) => {
  await fault('POST', request);
  await expect(get()).rejects.toMatchObject(refused(why));
  expect((await get()).config.stakes[0]).toBe(10);
});
