import { randomBytes, randomUUID } from 'node:crypto';
import { ENDPOINTS } from '../../src/http/endpoints';
import {
  callAsOperator,
  callAsProvider,
  exchange,
  providerHeaders,
  type Answer,
  type Party,
} from '../support/e2e-http';
import { booksAtRest } from '../support/e2e-books';
import { newRoundId, roundOf, takeSeat, type Seat } from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';
import { OTHER_GAME_CODE, OTHER_PROVIDER } from '../support/e2e-tenants';

/* Two operators and two providers on real servers. No tenant sees or changes another tenant's data, and no secret leaks. */

jest.setTimeout(120_000);

const BACKOFFICE_TOKEN = `marker-backoffice-${randomUUID()}`;
const SECRETS_KEY = randomBytes(32).toString('base64');

let stack: E2eStack;
let seat: Seat;
let openRound: string;
let closedRound: string;
const secrets: string[] = [BACKOFFICE_TOKEN, SECRETS_KEY];

beforeAll(async () => {
  stack = await startE2eStack({
    operators: [{ operatorId: 'op1' }, { operatorId: 'op2' }],
    env: { BACKOFFICE_TOKEN, SECRETS_KEY },
  });
  seat = await takeSeat(stack, { playerId: 'the-player' });
  closedRound = roundOf(await seat.start({ endGame: true, winAmount: 40 }));
  openRound = await seat.open({ winAmount: 70 });
  await booksAtRest(stack, closedRound);
  secrets.push(seat.token, stack.provider.secret, OTHER_PROVIDER.secret);
  secrets.push(stack.operator('op1').secret, stack.operator('op2').secret);
});
afterAll(() => stack?.close());

/** The request of each call, about op1's player and the player's rounds in gp1's game. */
const REQUESTS: Record<string, () => Record<string, unknown>> = {
  '/getGameRoundInfo': () => ({ gameRound: openRound }),
  '/getUncollectedAmount': () => ({ gameRound: openRound }),
  '/getAvailableSpinCounter': () => ({ gameRound: openRound, counterType: 'customspin' }),
  '/getGameRoundHistoryInfo': () => ({ gameRound: closedRound }),
  '/getTokenForGameRound': () => ({ token: undefined, gameRound: openRound }),
  '/getOpenGameRoundsByGame': () => ({ token: undefined, gameCode: stack.gameCode }),
  '/getOpenGameRounds': () => ({}),
  '/getLastGameRounds': () => ({}),
  '/getBalance': () => ({}),
  '/getTokenData': () => ({}),
  '/getRandomResult': () => ({ rngEndPoint: 'getDoubles', rngPayload: { count: 1, min: 0, max: 1 } }),
  '/addSpinCounterGameState': () => ({
    ...{ gameRound: openRound, counterType: 'customspin' },
    rngResult: { rngCallId: 'spin', result: { awarded: 1, used: 0 } },
  }),
  '/addWin': () => ({ gameRound: openRound, rngResult: { rngCallId: 'win', winAmount: 1 } }),
  '/collectWin': () => ({ gameRound: openRound, externalGameProviderTransactionId: 'collect' }),
  '/endGameRound': () => ({ gameRound: openRound, externalGameProviderTransactionId: 'end' }),
  '/startGameRound': () => ({
    ...{ rngResult: {}, externalGameProviderRoundId: 'another' },
    debitInformation: { debitAmount: 10, currency: 'EUR' },
  }),
  '/voidGameRound': () => ({ gameRound: voidable ?? openRound }),
  '/testPing': () => ({ token: undefined, testData: 1 }),
  '/getGameRoundDetails': () => ({ playerId: seat.playerId, gameRound: openRound }),
  '/getGameRoundReport': () => ({ playerId: seat.playerId, gameRound: closedRound }),
  '/reconcileTransactions': () => ({ gameRound: closedRound }),
  '/registerPlayer': () => ({ playerId: seat.playerId }),
  '/getGameURL': () => ({
    ...{ playerId: seat.playerId, currency: 'EUR', gameCode: stack.gameCode, language: 'en' },
    ...{ mode: 'history', gameround: closedRound },
  }),
  '/backoffice/getGameConfiguration': () => ({ gameCode: stack.gameCode, currency: 'EUR' }),
  '/getGameList': () => ({}),
  '/backoffice/getGameList': () => ({}),
};
/** The round that startGameRound opens, for voidGameRound. */
let voidable: string | undefined;

/** Calls without another tenant's data. A player of the same name at another operator is another player. */
const NOBODYS = [
  '/testPing',
  '/getGameList',
  '/backoffice/getGameList',
  '/backoffice/getGameConfiguration',
  '/registerPlayer',
];

const called = (caller: string) => ENDPOINTS.filter((operation) => operation.caller === caller);
const of = (path: string): Record<string, unknown> => REQUESTS[path]!();

function asProvider(party: Party, path: string, change: object = {}): Promise<Answer> {
  return callAsProvider(stack.api, party, path, { token: seat.token, ...of(path), ...change });
}

function asOperator(party: Party, path: string, change: object = {}): Promise<Answer> {
  const operation = ENDPOINTS.find((known) => known.path === path)!;
  const request = { ...of(path), ...change } as Record<string, string>;
  const fields = (operation.signed ?? []).flatMap((field) => request[field.replace('?', '')] ?? []);
  const method = operation.method === 'get' ? 'GET' : 'POST';
  return callAsOperator(stack.api, party, { path, request, fields, method });
}

const told = ({ status, body }: Answer) => [status, body.errorCode?.msg];

it('this list has every operation that is called with a signature', () => {
  const paths = [...called('provider'), ...called('operator')].map(({ path }) => path);
  expect(Object.keys(REQUESTS).sort()).toEqual(paths.sort());
});

describe('another provider', () => {
  it.each(called('provider').map(({ path }) => path))('%s', async (path) => {
    const foreign = await asProvider(OTHER_PROVIDER, path);
    if (NOBODYS.includes(path)) return expect(told(foreign)).toEqual([200, undefined]);
    // As if it did not exist: the same answer, to the byte.
    const nonsense = 'A'.repeat(43);
    const unknown = await asProvider(OTHER_PROVIDER, path, {
      ...('token' in of(path) ? {} : { token: nonsense }),
      ...('gameRound' in of(path) ? { gameRound: randomUUID() } : {}),
      ...('gameCode' in of(path) ? { gameCode: 'no-game' } : {}),
    });
    expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
    expect([401, 404]).toContain(foreign.status);
    // Under gp1's name it has no signature.
    expect(told(await asProvider({ ...OTHER_PROVIDER, id: 'gp1' }, path))).toEqual([401, 'SIGNATUREWRONG']);
  });

  it.each(
    called('provider')
      .map(({ path }) => path)
      .filter(
        (path) => /"(gameRound)"/.test(String(REQUESTS[path])) || /gameRound:/.test(String(REQUESTS[path])),
      ),
  )('with a token of its own: %s', async (path) => {
    const own = await tokenIn(OTHER_GAME_CODE, 'op1');
    const foreign = await asProvider(OTHER_PROVIDER, path, { token: own });
    expect(told(foreign)).toEqual([404, 'GAMEROUNDNOTFOUND']);
  });
});

describe('another operator', () => {
  it.each(called('operator').map(({ path }) => path))('%s', async (path) => {
    const foreign = await asOperator(stack.operator('op2'), path);
    if (NOBODYS.includes(path)) {
      expect(foreign.status).toBe(200);
      expect(JSON.stringify(foreign.body)).not.toMatch(new RegExp(`${openRound}|${closedRound}`));
    } else {
      const about = 'gameround' in of(path) ? 'gameround' : 'gameRound';
      const unknown = await asOperator(stack.operator('op2'), path, { [about]: randomUUID() });
      expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
      expect(told(foreign)).toEqual([404, 'GAMEROUNDNOTFOUND']);
    }
    const stolen = await asOperator({ ...stack.operator('op2'), id: 'op1' }, path);
    expect(told(stolen)).toEqual([401, 'SIGNATUREWRONG']);
    // A provider is no operator.
    expect(told(await asOperator(stack.provider, path))).toEqual([401, 'SIGNATUREWRONG']);
  });

  it.each(
    called('provider')
      .map(({ path }) => path)
      .filter((path) => path !== '/getTokenForGameRound' && /gameRound:/.test(String(REQUESTS[path]))),
  )('its player of the same name, in the same game: %s', async (path) => {
    const token = await tokenIn(stack.gameCode, 'op2');
    expect(told(await asProvider(stack.provider, path, { token }))).toEqual([404, 'GAMEROUNDNOTFOUND']);
  });
});

/** A session of op1's or op2's `the-player` in a game, as its provider gets it: with the launch token. */
async function tokenIn(gameCode: string, operatorId: string): Promise<string> {
  const request = { playerId: seat.playerId, currency: 'EUR', gameCode, language: 'en', mode: 'real' };
  const fields = [request.playerId, request.currency, request.gameCode, request.mode];
  const { body } = await callAsOperator(stack.api, stack.operator(operatorId), {
    path: '/getGameURL',
    request,
    fields,
  });
  const token = new URL(String(body.url)).searchParams.get('token')!;
  secrets.push(token);
  return token;
}

describe('the owner', () => {
  it('finds the round unchanged by all these calls', async () => {
    const { body } = await seat.info({ gameRound: openRound });
    expect(body).toMatchObject({ gameRoundInfo: { status: 'open' }, amountToCollect: 70 });
    expect(await stack.wallet.sent(openRound)).toEqual(['debit']);
  });

  it('may make every one of these calls', async () => {
    const operator = stack.operator('op1');
    for (const { path } of called('operator'))
      expect([path, ...told(await asOperator(operator, path))]).toEqual([path, 200, undefined]);
    for (const path of Object.keys(REQUESTS).filter((one) =>
      called('provider').some((known) => known.path === one),
    )) {
      const answer = await asProvider(stack.provider, path);
      if (path === '/startGameRound') voidable = roundOf(answer);
      expect([path, ...told(answer)]).toEqual([path, 200, undefined]);
    }
  });
});

describe('a call that is replayed', () => {
  it('takes one bet if it is repeated byte for byte or with another X-Request-Id, and none outside its time window', async () => {
    const player = await takeSeat(stack);
    const bet = (externalGameProviderRoundId: string) =>
      JSON.stringify({
        ...{ token: player.token, rngResult: {}, externalGameProviderRoundId, endGame: true },
        debitInformation: { debitAmount: 10, currency: 'EUR' },
      });
    const body = bet(newRoundId());
    const headers = providerHeaders(stack.provider, body, { requestId: 'first' });
    const send = (change: object = {}) =>
      exchange({
        method: 'POST',
        url: `${stack.api}/startGameRound`,
        headers: { ...headers, ...change },
        body,
      });
    const gameRound = roundOf(await send());
    // The round is over; its name is used up, and the caller is told which one it was.
    for (const again of [await send(), await send({ 'x-request-id': 'second' })]) {
      expect([again.status, roundOf(again)]).toEqual([400, gameRound]);
    }
    expect(await stack.wallet.sent(gameRound)).toEqual(['debit+end']);
    expect(await stack.wallet.callsOfPlayer(player.playerId)).toHaveLength(1);

    const timestamp = new Date(Date.now() - 301_000).toISOString();
    const old = bet(newRoundId());
    const late = await exchange({
      ...{ method: 'POST', url: `${stack.api}/startGameRound`, body: old },
      headers: providerHeaders(stack.provider, old, { timestamp }),
    });
    expect(told(late)).toEqual([401, 'SIGNATUREWRONG']);
    expect(await stack.wallet.callsOfPlayer(player.playerId)).toHaveLength(1);
  });
});

describe('secrets and tokens', () => {
  it('are in no log, workflow history, failure, metric or document, also when calls fail', async () => {
    const wrong = `marker-wrong-secret-${randomUUID()}`;
    const guessed = `marker-guess-${randomUUID()}`;
    secrets.push(wrong, guessed);
    const player = await takeSeat(stack);
    secrets.push(player.token);
    const byPlayer = { playerId: player.playerId };
    await stack.wallet.fault({ fault: 'status', status: 500, match: { type: 'debit', ...byPlayer } });
    const unknown = await player.start();
    expect(unknown.status).toBe(502);
    const round = await player.open({ winAmount: 5 });
    await stack.wallet.fault({
      fault: 'status',
      status: 500,
      times: 2,
      match: { type: 'credit', ...byPlayer },
    });
    expect((await player.end(round)).status).toBe(200);
    await booksAtRest(stack, round);
    for (const path of ['/connect', '/refresh', '/logout']) {
      expect((await exchange({ url: `${stack.api}${path}?token=${guessed}` })).status).toBe(401);
    }
    expect((await player.call('/getBalance', { token: guessed })).status).toBe(401);
    expect((await player.call('/getBalance', { token: `${guessed}#` })).status).toBe(400);
    const { id } = stack.provider;
    expect(
      (await callAsProvider(stack.api, { id, secret: wrong }, '/getBalance', { token: player.token })).status,
    ).toBe(401);
    expect((await exchange({ url: `${stack.api}/${guessed}?token=${guessed}` })).status).toBe(404);
    expect(
      (await player.call('/addWin', { gameRound: round, rngResult: { betData: { a: guessed, b: 1 } } }))
        .status,
    ).toBe(400);

    const places = {
      logs: await stack.logs(),
      histories: await histories(),
      documents: await documents(),
      metrics: JSON.stringify((await exchange({ url: `${stack.admin.api}/metrics` })).body),
    };
    // The search sees what there is to be seen.
    expect(Object.entries(places).filter(([, text]) => !text.includes(round))).toEqual([
      ['metrics', places.metrics],
    ]);
    expect(places.metrics).toContain('gameround_http_call_seconds');
    const found = Object.entries(places).flatMap(([place, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${place}: ${secret}`),
    );
    expect(found).toEqual([]);
  });
});

/** Every event of every workflow. */
async function histories(): Promise<string> {
  const texts: string[] = [];
  for await (const { workflowId, runId } of stack.temporal.workflow.list()) {
    const history = await stack.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    texts.push(workflowId, ...textsIn(history));
  }
  return texts.join('\n');
}

/** Every document of every collection. */
async function documents(): Promise<string> {
  const texts: string[] = [];
  for (const { name } of await stack.db.listCollections().toArray()) {
    texts.push(name, ...textsIn(await stack.db.collection(name).find().toArray()));
  }
  return texts.join('\n');
}

/** All names and values as text. Bytes are decoded as text. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (ArrayBuffer.isView(value)) {
    return [Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')];
  }
  return Object.entries(value).flatMap(([name, entry]) => [name, ...textsIn(entry)]);
}
