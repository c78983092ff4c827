import { listedRound } from '../../src/domain/round/record';
import { errorObject } from '../../src/domain/errors';
import {
  connect,
  HASH,
  launchToken,
  providerCall,
  sessionToken,
  snapshot,
  start,
  startService,
  tenants,
  tokenDataOf,
  type Service,
} from './support';

const DAY = 86_400_000;

let service: Service;
let token: string;
beforeEach(async () => {
  service = await startService({
    tenants: tenants(({ games }) => Object.assign(games[0]!, { historyCallback: true })),
  });
  service.doGetGameHistory.mockResolvedValue({ reels: 'A B C' });
  token = await sessionToken(service);
});
afterEach(() => service.stop());

const credit = {
  ...{ type: 'credit' as const, hash: 'c1', amount: 250, currency: 'EUR', outcome: 'accepted' as const },
  timestamp: '2026-01-02T03:04:07.000Z',
};
const closed = (change: Parameters<typeof snapshot>[0] = {}, identity: Parameters<typeof snapshot>[1] = {}) =>
  snapshot(
    {
      status: 'closed',
      closedAt: '2026-01-02T03:04:07.000Z',
      amountToCollect: 0,
      transactions: [...snapshot().transactions, credit],
      dataStored: { reels: '1-2-3' },
      ...change,
    },
    identity,
  );

describe('getGameRoundHistoryInfo', () => {
  const ask = (by: string, gameRound = HASH) =>
    providerCall(service, '/getGameRoundHistoryInfo', { token: by, gameRound });

  it('is a game reply with protectedInfo, for a closed and for a cancelled round', async () => {
    service.commands.describeRound.mockResolvedValue(closed());
    const reply = await ask(token);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      tokenData: tokenDataOf(token),
      balance: expect.objectContaining({ totalBalance: 10_000 }) as unknown,
      gameRoundInfo: {
        ...{ hash: HASH, status: 'closed', stake: 100, baseStake: 100, mode: 'real', currency: 'EUR' },
        ...{ game: 'slot', currencyMultiplier: 1, commonRoundHash: '' },
      },
      commonGameRoundInfo: {},
      gameState: snapshot().gameState,
      amountToCollect: 0,
      amountCredited: 0,
      freePlaysAvailable: [],
      passThroughData: {},
      protectedInfo: { reels: '1-2-3' },
    });
    service.commands.describeRound.mockResolvedValue(closed({ status: 'cancel', dataStored: undefined }));
    const cancelled = await ask(token);
    expect([cancelled.status, cancelled.body.protectedInfo]).toEqual([200, {}]);
  });

  it('is refused for an open and for a crashed round', async () => {
    for (const crashed of [false, true]) {
      service.commands.describeRound.mockResolvedValue(snapshot({ crashed }));
      const reply = await ask(token);
      expect([reply.status, reply.body]).toEqual([400, { errorCode: errorObject('GAMEROUNDOPEN') }]);
    }
  });

  it.each([{ operatorId: 'op2' }, { playerId: 'p2' }, { gameCode: 'other' }, { providerId: 'gp2' }])(
    'of a round of another (%j) answers as if it did not exist',
    async (identity) => {
      const unknown = await ask(token);
      service.commands.describeRound.mockResolvedValue(closed({}, identity));
      const reply = await ask(token);
      expect([reply.status, reply.text]).toEqual([404, unknown.text]);
    },
  );

  it('serves a history session, for its one round only', async () => {
    service.commands.describeRound.mockImplementation((gameround) =>
      Promise.resolve(closed({}, { gameround })),
    );
    const by = await sessionToken(service, { mode: 'history', gameround: HASH });
    expect((await ask(by)).status).toBe(200);
    expect((await ask(by, 'another')).body.errorCode?.msg).toBe('GAMEROUNDNOTFOUND');
    expect((await providerCall(service, '/getGameRoundInfo', { token: by })).status).toBe(200);
    const refused: [string, object][] = [
      ['/startGameRound', start(by)],
      ['/addWin', { gameRound: HASH, rngResult: { winAmount: 1 } }],
      ['/endGameRound', { gameRound: HASH }],
      ['/collectWin', { gameRound: HASH }],
      ['/voidGameRound', { gameRound: HASH }],
      ['/getAvailableSpinCounter', { gameRound: HASH, counterType: 'c' }],
      ['/getUncollectedAmount', { gameRound: HASH }],
      ['/getBalance', {}],
      ['/getTokenData', {}],
      ['/getLastGameRounds', {}],
      ['/getOpenGameRounds', {}],
    ];
    for (const [path, body] of refused) {
      const reply = await providerCall(service, path, { ...body, token: by });
      expect([path, reply.status, reply.body.errorCode?.msg]).toEqual([path, 400, 'MODENOTALLOWED']);
    }
  });
});

describe('a history launch', () => {
  const launch = async () => {
    service.commands.describeRound.mockResolvedValue(closed());
    return launchToken(service, { mode: 'history', gameround: HASH });
  };

  it('connects with the game’s description of the round, without a wallet call', async () => {
    service.getBalance.mockClear();
    const { status, body } = await connect(service, await launch());
    expect([status, body.gameHistory]).toEqual([200, { reels: 'A B C' }]);
    expect(body.tokenData).toMatchObject({ mode: 'history', gameRound: HASH });
    expect(service.doGetGameHistory.mock.calls).toEqual([
      [
        expect.objectContaining({ providerId: 'gp1', secrets: ['secret-of-gp1'] }),
        { gameRound: HASH, playerId: 'p1', language: 'de' },
      ],
    ]);
    expect(service.getBalance).not.toHaveBeenCalled();
  });

  it('may be tried again when the game has no answer', async () => {
    const link = await launch();
    service.doGetGameHistory.mockRejectedValueOnce(new Error('the provider answered 500'));
    const failed = await connect(service, link);
    expect([failed.status, failed.body]).toEqual([
      502,
      { errorCode: errorObject('GAMEPROVIDERUNAVAILABLE') },
    ]);
    expect((await connect(service, link)).status).toBe(200);
  });

  it('asks only games that have the callback, and only in history mode', async () => {
    expect(service.doGetGameHistory).not.toHaveBeenCalled();
    const other = await startService();
    other.commands.describeRound.mockResolvedValue(closed());
    const reply = await connect(other, await launchToken(other, { mode: 'history', gameround: HASH }));
    expect([reply.status, 'gameHistory' in reply.body]).toEqual([200, false]);
    await other.stop();
  });
});

describe('getLastGameRounds', () => {
  const ask = (body: object = {}) => providerCall(service, '/getLastGameRounds', { token, ...body });

  it('lists the player’s closed rounds, by default 50 of 30 days', async () => {
    service.lists.closedRounds.mockResolvedValue([
      listedRound(closed()),
      listedRound(closed({ dataStored: undefined }, { currency: 'JPY' })),
    ]);
    const reply = await ask();
    expect(reply.body).toEqual({
      gameRoundList: [
        {
          ...{ id: HASH, status: 'closed', timestamp: '2026-01-02T03:04:05.000Z', bet: 100, won: 250 },
          ...{ currency: 'EUR', gameSpecificDetails: { reels: '1-2-3' } },
        },
        expect.objectContaining({ currency: 'JPY', gameSpecificDetails: {} }) as unknown,
      ],
    });
    const [session, since, maxRecords] = service.lists.closedRounds.mock.calls[0]!;
    expect(session).toMatchObject({ operatorId: 'op1', playerId: 'p1', providerId: 'gp1' });
    expect([since.getTime(), maxRecords]).toEqual([service.clock.now - 30 * DAY, 50]);
    await ask({ maxRecords: 3, maxDays: 1 });
    const [, recently, three] = service.lists.closedRounds.mock.calls[1]!;
    expect([recently.getTime(), three]).toEqual([service.clock.now - DAY, 3]);
  });

  it.each([
    { maxRecords: 0 },
    { maxRecords: 201 },
    { maxRecords: 1.5 },
    { maxRecords: '5' },
    { maxDays: 0 },
    { maxDays: 367 },
  ])('is bounded: %j', async (body) => {
    const reply = await ask(body);
    expect(reply.status).toBe(400);
    expect(reply.body.errorCode?.msg).toContain(Object.keys(body)[0]);
    expect(service.lists.closedRounds).not.toHaveBeenCalled();
  });

  it('needs the read model, and a live session', async () => {
    service.lists.closedRounds.mockRejectedValue(new Error('no server'));
    expect([(await ask()).status, (await ask()).body.errorCode?.id]).toEqual([503, 3002]);
    service.clock.now += 3_600_001;
    expect((await ask()).body.errorCode?.msg).toBe('TOKENEXPIRED');
  });
});

describe('open rounds', () => {
  const item = {
    ...{
      hash: HASH,
      status: 'open',
      stake: 100,
      baseStake: 100,
      mode: 'real',
      currency: 'EUR',
      game: 'slot',
    },
    ...{ currencyMultiplier: 1, commonRoundHash: '', timestamp: '2026-01-02T03:04:05.000Z' },
    amountToCollect: 250,
  };

  it('of the player, with the state from their workflows', async () => {
    const recorded = ['r1', 'r2', 'r3'].map((gameround) =>
      listedRound(snapshot({ amountToCollect: 0 }, { gameround })),
    );
    service.lists.openRoundsOfPlayer.mockResolvedValue(recorded);
    service.commands.describeRound.mockImplementation((gameround) =>
      Promise.resolve(
        gameround === 'r2'
          ? closed({}, { gameround })
          : snapshot({ crashed: gameround === 'r3' }, { gameround }),
      ),
    );
    const reply = await providerCall(service, '/getOpenGameRounds', { token });
    expect(reply.body).toEqual({
      gameRoundList: [
        { ...item, hash: 'r1' },
        { ...item, hash: 'r3', crashed: true },
      ],
    });
    expect(service.lists.openRoundsOfPlayer.mock.calls[0]![0]).toMatchObject({
      ...{ operatorId: 'op1', playerId: 'p1', providerId: 'gp1' },
    });
  });

  it('of the player, with few of their workflows asked at a time', async () => {
    const hashes = Array.from({ length: 23 }, (_, index) => `r${index}`);
    const records = hashes.map((gameround) => listedRound(snapshot({}, { gameround })));
    service.lists.openRoundsOfPlayer.mockResolvedValue(records);
    let asked = 0;
    let most = 0;
    service.commands.describeRound.mockImplementation(async (gameround) => {
      most = Math.max(most, (asked += 1));
      await new Promise(setImmediate);
      asked -= 1;
      return snapshot({}, { gameround });
    });
    const reply = await providerCall(service, '/getOpenGameRounds', { token });
    const list = reply.body.gameRoundList as { hash: string }[];
    expect(list.map(({ hash }) => hash)).toEqual(hashes);
    expect(most).toBeLessThanOrEqual(5);
  });

  it('of a game, which is the caller’s own', async () => {
    service.lists.openRoundsByGame.mockResolvedValue([listedRound(snapshot())]);
    const reply = await providerCall(service, '/getOpenGameRoundsByGame', { gameCode: 'slot' });
    expect(reply.body).toEqual({ gameRoundList: [item] });
    await providerCall(service, '/getOpenGameRoundsByGame', { gameCode: 'slot', maxRecords: 7 });
    expect(service.lists.openRoundsByGame.mock.calls).toEqual([
      ['gp1', 'slot', 50],
      ['gp1', 'slot', 7],
    ]);
    service.lists.openRoundsByGame.mockResolvedValue([]);
    const unknown = await providerCall(service, '/getOpenGameRoundsByGame', { gameCode: 'nothing' });
    const others = await providerCall(service, '/getOpenGameRoundsByGame', { gameCode: 'other' });
    expect([unknown.status, unknown.body.errorCode?.msg]).toEqual([404, 'GAMENOTFOUND']);
    expect([others.status, others.text]).toEqual([404, unknown.text]);
    const many = await providerCall(service, '/getOpenGameRoundsByGame', {
      gameCode: 'slot',
      maxRecords: 201,
    });
    expect(many.status).toBe(400);
  });

  it('of a game that has moved to another provider, as long as rounds from before are open', async () => {
    service.lists.openRoundsByGame.mockResolvedValue([listedRound(snapshot())]);
    const { body } = await providerCall(service, '/getOpenGameRoundsByGame', { gameCode: 'other' });
    expect(body).toEqual({ gameRoundList: [item] });
  });

  it('need the read model', async () => {
    service.lists.openRoundsByGame.mockRejectedValue(new Error('no server'));
    service.lists.openRoundsOfPlayer.mockRejectedValue(new Error('no server'));
    expect((await providerCall(service, '/getOpenGameRoundsByGame', { gameCode: 'slot' })).status).toBe(503);
    expect((await providerCall(service, '/getOpenGameRounds', { token })).status).toBe(503);
  });
});
