import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { createDemoRounds, createDemoStore } from '../../src/demo';
import { errorObject, refuse } from '../../src/domain/errors';
import {
  connect,
  launchToken,
  operatorCall,
  providerCall,
  start,
  startService,
  tenants,
  type Service,
} from './support';

/* A demo session through the HTTP interface: the same calls with pretend money, without a call to the operator. */

let client: MongoClient;
let service: Service;
let token: string;
let connected: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  client = await MongoClient.connect(process.env.TEST_MONGODB_URI!);
  const demoRounds = createDemoRounds({
    store: createDemoStore(client.db(`demo-${randomUUID()}`)),
    settingsFor: () =>
      Promise.resolve({
        ...{ autoCloseAfterMs: 1, voidsWholeRound: false, followUpDebits: false },
        ...{ gameRoundReport: true, resultCallback: true },
      }),
  });
  const withRng = tenants(({ games }) => Object.assign(games[0]!, { serviceRng: true }));
  service = await startService({ tenants: withRng, deps: { demoRounds } });
});
afterAll(async () => {
  await service.stop();
  await client.close();
});
beforeEach(async () => {
  connected = await connect(service, await launchToken(service, { mode: 'demo', playerId: undefined }));
  token = connected.body.token as string;
});

const call = async (path: string, body: object = {}) => {
  const { status, body: reply } = await providerCall(service, path, { token, ...body });
  return { status, ...reply } as Record<string, unknown> & { status: number };
};
const hashOf = (reply: Record<string, unknown>) => (reply.gameRoundInfo as { hash: string }).hash;

it('plays a round from its bet to its history', async () => {
  expect(connected.body.balance).toMatchObject({ totalBalance: 100_000, mode: 'demo' });
  const begun = await call('/startGameRound', start(token));
  expect(begun).toMatchObject({
    ...{ status: 200, tokenData: { mode: 'demo' }, balance: { totalBalance: 99_900, mode: 'demo' } },
    gameRoundInfo: { status: 'open', mode: 'demo', stake: 100 },
  });
  const gameRound = hashOf(begun);
  expect(await call('/startGameRound', start(token, { rngResult: { rngCallId: 'r2' } }))).toMatchObject({
    ...{ status: 400, errorCode: { id: 12 }, gameRoundInfo: { hash: gameRound } },
  });
  await call('/addWin', { gameRound, rngResult: { rngCallId: 'w1', winAmount: 250 } });
  const spin = { gameRound, counterType: 'customspin' };
  expect(
    await call('/addSpinCounterGameState', { ...spin, rngResult: { result: { awarded: 2 } } }),
  ).toMatchObject({
    spinsAvailable: 2,
  });
  expect(await call('/getAvailableSpinCounter', spin)).toMatchObject({
    spinsAvailable: 2,
    amountToCollect: 250,
  });
  expect(await call('/getUncollectedAmount', { gameRound })).toMatchObject({ amountToCollect: 250 });
  expect(await call('/getGameRoundInfo')).toMatchObject({
    gameRoundInfo: { hash: gameRound },
    totalWinAmount: 250,
  });
  expect(await call('/getTokenData')).toMatchObject({ tokenData: { gameRound } });
  expect(await call('/getOpenGameRounds')).toMatchObject({
    gameRoundList: [{ hash: gameRound, mode: 'demo' }],
  });
  expect(await call('/getGameRoundHistoryInfo', { gameRound })).toMatchObject({ errorCode: { id: 2014 } });
  expect(await call('/collectWin', { gameRound, amount: 50 })).toMatchObject({ amountCredited: 50 });
  expect(await call('/endGameRound', { gameRound })).toMatchObject({
    ...{ amountCredited: 200, gameRoundInfo: { status: 'closed' }, balance: { totalBalance: 100_150 } },
  });
  expect(await call('/getBalance')).toMatchObject({ totalBalance: 100_150, mode: 'demo', currency: 'EUR' });
  expect(await call('/endGameRound', { gameRound })).toMatchObject({ status: 400, errorCode: { id: 2000 } });
  expect(await call('/getGameRoundHistoryInfo', { gameRound })).toMatchObject({
    ...{ status: 200, gameRoundInfo: { status: 'closed', mode: 'demo' }, protectedInfo: {} },
  });
  expect(await call('/getOpenGameRounds')).toMatchObject({ gameRoundList: [] });
});

it('voids, finds by the provider’s id, draws', async () => {
  const begun = await call('/startGameRound', start(token, { externalGameProviderRoundId: 'x1' }));
  const gameRound = hashOf(begun);
  expect(await call('/getGameRoundInfo', { externalGameProviderRoundId: 'x1' })).toMatchObject({
    gameRoundInfo: { hash: gameRound },
  });
  expect(await call('/voidGameRound', { gameRound })).toMatchObject({
    ...{ status: 200, gameRoundInfo: { status: 'cancel' }, balance: { totalBalance: 100_000 } },
  });
  const rngPayload = { count: 1, min: 0, max: 1 };
  expect((await call('/getRandomResult', { rngEndPoint: 'getDoubles', rngPayload })).status).toBe(200);
  expect(service.draws.at(-1)).toMatchObject({ mode: 'demo' });
});

it('reaches no operator, no workflow and no record', async () => {
  await call('/startGameRound', start(token, { endGame: true }));
  expect(await call('/getLastGameRounds')).toMatchObject({ status: 200, gameRoundList: [] });
  expect(service.getBalance).not.toHaveBeenCalled();
  for (const command of [...Object.values(service.commands), ...Object.values(service.lists)]) {
    expect(command).not.toHaveBeenCalled();
  }
});

it('is never reconciled, and does not exist for another operator', async () => {
  const gameRound = hashOf(await call('/startGameRound', start(token)));
  service.reconcile.mockRejectedValue(refuse('GAMEROUNDNOTFOUND'));
  const reconcile = (id: string) =>
    operatorCall(service, 'POST', '/reconcileTransactions', [gameRound], { gameRound }, { id });
  const own = await reconcile('op1');
  expect([own.status, own.body]).toEqual([400, { errorCode: errorObject('MODENOTALLOWED') }]);
  expect((await reconcile('op2')).body).toEqual({ errorCode: errorObject('GAMEROUNDNOTFOUND') });
});

it('does not exist for another session', async () => {
  const gameRound = hashOf(await call('/startGameRound', start(token)));
  const other = (await connect(service, await launchToken(service, { mode: 'demo' }))).body.token as string;
  for (const path of ['/endGameRound', '/getGameRoundInfo', '/getUncollectedAmount']) {
    expect(await call(path, { gameRound, token: other })).toMatchObject({
      status: 404,
      errorCode: { id: 2001 },
    });
  }
});
