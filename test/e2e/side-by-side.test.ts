import { randomUUID } from 'node:crypto';
import { operatorFields } from '../../sdk';
import { ENDPOINTS } from '../../src/http/endpoints';
import { booksAtRest } from '../support/e2e-books';
import { callAsOperator, callAsProvider, exchange, type Answer, type Party } from '../support/e2e-http';
import { describe as told, roundOf } from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';
import { CURRENCIES, GAME_CODE, OTHER_GAME_CODE, OTHER_PROVIDER, PROVIDER } from '../support/e2e-tenants';

/** Two operators, two providers and four kinds of currency in one service. Each tenant sees only its own rounds. */

jest.setTimeout(120_000);

const STAKE = 1_000;
const START = 100_000;

let stack: E2eStack;
beforeAll(async () => {
  stack = await startE2eStack({ operators: [{ operatorId: 'op1' }, { operatorId: 'op2' }] });
});
afterAll(() => stack?.close());

/** A player of an operator in a provider's game. */
interface Place {
  operatorId: string;
  provider: Party;
  gameCode: string;
  playerId: string;
  currency: string;
  token: string;
}

interface Seated {
  place: Place;
  /** The reply of GET /connect. */
  connected: Answer;
}

async function seated(of: Omit<Place, 'token'>, more: Record<string, string> = {}): Promise<Seated> {
  const { operatorId, playerId, gameCode, currency } = of;
  const request = { playerId, currency, gameCode, language: 'en', mode: 'real', ...more };
  const launched = await asOperator(
    operatorId,
    'POST',
    '/getGameURL',
    request,
    operatorFields.getGameURL(request),
  );
  const { searchParams } = new URL(String(launched.body.url));
  const connected = await exchange({
    url: `${searchParams.get('login')}?token=${searchParams.get('token')}`,
  });
  return { place: { ...of, token: String(connected.body.token) }, connected };
}

function asOperator(
  operatorId: string,
  method: 'GET' | 'POST',
  path: string,
  request: Record<string, string>,
  fields: string[],
): Promise<Answer> {
  return callAsOperator(stack.api, stack.operator(operatorId), { path, request, fields, method });
}

const call = ({ token, provider }: Place, path: string, body: object = {}): Promise<Answer> =>
  callAsProvider(stack.api, provider, path, { token, ...body });

const starting = (currency: string, more: object = {}) => ({
  ...{ rngResult: {}, debitInformation: { debitAmount: STAKE, currency } },
  externalGameProviderRoundId: randomUUID().replaceAll('-', ''),
  ...more,
});

describe.each(Object.entries(CURRENCIES))('a round in %s, multiplier %d', (currency, multiplier) => {
  const who = { operatorId: 'op1', provider: PROVIDER, gameCode: GAME_CODE, currency };

  it('is played in its minor units from the launch to the books', async () => {
    const { place, connected } = await seated({ ...who, playerId: `player-${randomUUID()}` });
    expect(connected.body).toMatchObject({
      balance: { totalBalance: START, currency, balances: [{ type: 'real', currency, amount: START }] },
      tokenData: { currency, currencyMultiplier: multiplier },
    });
    const started = await call(place, '/startGameRound', starting(currency));
    const gameRound = roundOf(started);
    expect(started.body).toMatchObject({
      gameRoundInfo: {
        stake: STAKE,
        baseStake: STAKE / multiplier,
        currency,
        currencyMultiplier: multiplier,
      },
      balance: { totalBalance: START - STAKE, currency },
    });
    await call(place, '/addWin', { gameRound, rngResult: { winAmount: 777 } });
    const ended = await call(place, '/endGameRound', { gameRound });
    expect(ended.body).toMatchObject({ amountCredited: 777, balance: { totalBalance: START - STAKE + 777 } });
    const { record, ledger } = await booksAtRest(stack, gameRound);
    expect(record).toMatchObject({ currency, totalBetAmount: STAKE, totalWinAmount: 777 });
    expect(ledger.net).toBe(777 - STAKE);
    const sent = (await stack.wallet.calls(gameRound)).flatMap(({ body }) => body.transactions);
    expect(sent.map((one) => [one.type, one.currency, one.amount])).toEqual([
      ['debit', currency, STAKE],
      ['credit', currency, 777],
      ['end', currency, undefined],
    ]);
    const last = await call(place, '/getLastGameRounds');
    expect(last.body.gameRoundList).toMatchObject([{ id: gameRound, bet: STAKE, won: 777, currency }]);
  });

  it('has stakes multiplied once, and takes no other currency', async () => {
    const stakes = async (of: string): Promise<number[]> => {
      const query = { gameCode: GAME_CODE, currency: of };
      const path = '/backoffice/getGameConfiguration';
      const { body } = await asOperator('op1', 'GET', path, query, [GAME_CODE, of]);
      expect(body.config).toMatchObject({ currency: of });
      return (body.config as { stakes: number[] }).stakes;
    };
    const base = await stakes('EUR');
    const ladder = await stakes(currency);
    // A stake of less than one minor unit is none.
    const whole = base.map((stake) => stake * multiplier).filter((stake) => stake >= 1);
    expect(ladder).toEqual(expect.arrayContaining(whole.filter(Number.isInteger)));
    expect(ladder.every(Number.isSafeInteger)).toBe(true);
    const { place } = await seated({ ...who, playerId: `player-${randomUUID()}` });
    const other = currency === 'EUR' ? 'JPY' : 'EUR';
    expect((await call(place, '/startGameRound', starting(other))).status).toBe(400);
    expect(await stack.wallet.callsOfPlayer(place.playerId)).toEqual([]);
  });
});

describe('two operators with two providers', () => {
  const playerId = `player-${randomUUID()}`;
  const external = { externalGameProviderRoundId: 'the-same-for-all' };
  const open: { place: Place; gameRound: string }[] = [];

  beforeAll(async () => {
    for (const operatorId of ['op1', 'op2']) {
      for (const [provider, gameCode] of [
        [PROVIDER, GAME_CODE],
        [OTHER_PROVIDER, OTHER_GAME_CODE],
      ] as const) {
        const { place } = await seated({ operatorId, provider, gameCode, playerId, currency: 'EUR' });
        const started = await call(place, '/startGameRound', starting('EUR', external));
        expect(told(started)).toBe('200 open');
        open.push({ place, gameRound: roundOf(started) });
      }
    }
  });

  it('the same player id and round id name four rounds of four players', async () => {
    expect(new Set(open.map(({ gameRound }) => gameRound)).size).toBe(4);
    for (const { place, gameRound } of open) {
      const found = await call(place, '/getGameRoundInfo', external);
      expect(roundOf(found)).toBe(gameRound);
      const list = await call(place, '/getOpenGameRounds');
      expect((list.body.gameRoundList as { hash: string }[]).map(({ hash }) => hash)).toEqual([gameRound]);
    }
    const balances = await Promise.all(['op1', 'op2'].map((id) => stack.wallet.balance(playerId, id)));
    expect(balances).toEqual([START - 2 * STAKE, START - 2 * STAKE]);
  });

  const bodies: Record<string, object> = {
    '/startGameRound': starting('EUR'),
    '/addWin': { rngResult: { winAmount: 5 } },
    '/addSpinCounterGameState': { counterType: 'c', rngResult: { result: { awarded: 1 } } },
    '/getAvailableSpinCounter': { counterType: 'c' },
    '/getRandomResult': { rngEndPoint: 'getDoubles', rngPayload: { count: 1, min: 0, max: 1 } },
  };
  const ofProviders = ENDPOINTS.filter(({ caller }) => caller === 'provider').map(({ path }) => path);
  const withoutToken = ['/testPing', '/getTokenForGameRound', '/getOpenGameRoundsByGame'];
  const onRounds = [
    ...['/addWin', '/endGameRound', '/collectWin', '/voidGameRound', '/addSpinCounterGameState'],
    ...['/getAvailableSpinCounter', '/getUncollectedAmount', '/getGameRoundInfo', '/getGameRoundHistoryInfo'],
  ];

  it.each(ofProviders.filter((path) => !withoutToken.includes(path)))(
    '%s: the other provider’s token is refused',
    async (path) => {
      const [{ place, gameRound }] = open as [(typeof open)[0]];
      const body = { gameRound, ...bodies[path] };
      expect(told(await call({ ...place, provider: OTHER_PROVIDER }, path, body))).toBe('401 TOKENNOTFOUND');
    },
  );

  it.each(onRounds)(
    '%s: the round of another operator, or of another provider, does not exist',
    async (path) => {
      const [own, ...others] = open as [(typeof open)[0]];
      for (const { gameRound } of others as typeof open) {
        const reply = await call(own.place, path, { gameRound, ...bodies[path] });
        expect(told(reply)).toBe('404 GAMEROUNDNOTFOUND');
      }
    },
  );

  it('a provider gets no token for the other’s round, and lists its own game only', async () => {
    for (const { place, gameRound } of open) {
      const other = place.provider === PROVIDER ? OTHER_PROVIDER : PROVIDER;
      const ask = (by: Party, path: string, body: object) => callAsProvider(stack.api, by, path, body);
      expect(told(await ask(other, '/getTokenForGameRound', { gameRound }))).toBe('404 GAMEROUNDNOTFOUND');
      const { gameCode } = place;
      expect(told(await ask(other, '/getOpenGameRoundsByGame', { gameCode }))).toBe('404 GAMENOTFOUND');
      const { body } = await ask(place.provider, '/getOpenGameRoundsByGame', { gameCode, maxRecords: 200 });
      const games = (body.gameRoundList as { game: string; hash: string }[]).map(({ game }) => game);
      expect(new Set(games)).toEqual(new Set([gameCode]));
    }
  });

  it.each(
    ENDPOINTS.filter(({ caller, signed = [] }) => caller === 'operator' && signed.includes('gameRound')),
  )('$path: the other operator’s round does not exist', async ({ path, method, signed = [] }) => {
    for (const { place, gameRound } of open) {
      const other = place.operatorId === 'op1' ? 'op2' : 'op1';
      const request = { playerId, gameRound };
      const fields = signed.map((field) => request[field as 'playerId']);
      const verb = method === 'get' ? 'GET' : 'POST';
      expect(told(await asOperator(other, verb, path, request, fields))).toBe('404 GAMEROUNDNOTFOUND');
    }
  });

  it('a player of one operator is unknown to the other: registered as new, and its history can’t be launched', async () => {
    const fresh = { playerId: `player-${randomUUID()}` };
    const register = (id: string) => asOperator(id, 'POST', '/registerPlayer', fresh, [fresh.playerId]);
    const [first, second] = [await register('op1'), await register('op2')];
    expect([first.body.isNew, second.body.isNew]).toEqual([true, true]);
    expect(first.body.internalPlayerId).not.toBe(second.body.internalPlayerId);
    for (const { place, gameRound } of open) {
      const other = place.operatorId === 'op1' ? 'op2' : 'op1';
      const { gameCode, currency } = place;
      const request = { playerId, currency, gameCode, mode: 'history', gameround: gameRound };
      const reply = await asOperator(
        other,
        'POST',
        '/getGameURL',
        request,
        operatorFields.getGameURL(request),
      );
      expect(told(reply)).toBe('404 GAMEROUNDNOTFOUND');
    }
  });

  it('each ends its own round; the others’ money and lists stay as they were', async () => {
    for (const [index, { place, gameRound }] of open.entries()) {
      await call(place, '/addWin', { gameRound, rngResult: { winAmount: (index + 1) * 100 } });
      expect(told(await call(place, '/endGameRound', { gameRound }))).toBe('200 closed');
      const last = await call(place, '/getLastGameRounds');
      expect(last.body.gameRoundList).toMatchObject([{ id: gameRound, won: (index + 1) * 100 }]);
      const left = await Promise.all(
        open
          .slice(index + 1)
          .map((other) => call(other.place, '/getGameRoundInfo', { gameRound: other.gameRound })),
      );
      expect(left.map((reply) => told(reply))).toEqual(left.map(() => '200 open'));
    }
    for (const { gameRound } of open) await booksAtRest(stack, gameRound);
    const balances = await Promise.all(['op1', 'op2'].map((id) => stack.wallet.balance(playerId, id)));
    expect(balances).toEqual([START - 2 * STAKE + 300, START - 2 * STAKE + 700]);
  });
});

it('a history launch gets gameHistory from the real game', async () => {
  const playerId = `player-${randomUUID()}`;
  const who = { operatorId: 'op1', provider: OTHER_PROVIDER, gameCode: OTHER_GAME_CODE, currency: 'EUR' };
  const request = { playerId, currency: 'EUR', gameCode: OTHER_GAME_CODE, mode: 'real' };
  const launched = await asOperator(
    'op1',
    'POST',
    '/getGameURL',
    request,
    operatorFields.getGameURL(request),
  );
  const url = new URL(String(launched.body.url));
  const play = async (path: string, body: object, seat = ''): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json', 'x-game-seat': seat };
    const reply = await exchange({
      ...{ method: 'POST', url: `${url.origin}/api/${path}`, headers, body: JSON.stringify(body) },
    });
    expect([path, reply.status]).toEqual([path, 200]);
    return reply.body.view as Record<string, unknown>;
  };
  const { seat, stakes } = await play('connect', Object.fromEntries(url.searchParams));
  const spun = await play('spin', { stake: (stakes as number[])[0] }, String(seat));
  const { hash } = spun.round as { hash: string };
  await play('end', {}, String(seat));
  await booksAtRest(stack, hash);
  const { connected } = await seated({ ...who, playerId }, { mode: 'history', gameround: hash });
  expect(connected.status).toBe(200);
  const gameHistory = connected.body.gameHistory as Record<string, string>;
  expect(gameHistory.reels).toMatch(/^\w+ \w+ \w+$/);
  expect(gameHistory.reels).not.toBe('not remembered');
});
