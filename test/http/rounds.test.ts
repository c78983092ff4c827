import { errorObject, refuse } from '../../src/domain/errors';
import { gameroundHash, roundName } from '../../src/domain/hashes';
import {
  HASH,
  providerCall,
  roundReply,
  sessionToken,
  snapshot,
  start,
  startService,
  tokenDataOf,
  type Service,
} from './support';

let service: Service;
let token: string;
beforeEach(async () => {
  service = await startService();
  token = await sessionToken(service);
});
afterEach(() => service.stop());

describe('startGameRound', () => {
  it('hands over the command and replies with every field of the game reply', async () => {
    service.commands.startGameRound.mockResolvedValue(roundReply());
    const body = start(token, { endGame: true, externalGameProviderRoundId: 'x1' });
    const reply = await providerCall(service, '/startGameRound', body, { requestId: 'call-1' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      tokenData: tokenDataOf(token),
      balance: {
        totalBalance: 9_900,
        mode: 'real',
        currency: 'EUR',
        balances: [{ type: 'real', currency: 'EUR', amount: 9_900 }],
      },
      gameRoundInfo: roundReply().gameRoundInfo,
      commonGameRoundInfo: {},
      gameState: [],
      amountToCollect: 0,
      amountCredited: 0,
      freePlaysAvailable: [],
      passThroughData: {},
    });
    const [command] = service.commands.startGameRound.mock.calls[0]!;
    expect(command).toMatchObject({
      requestId: 'call-1',
      rngResult: { rngCallId: 'r1' },
      debitInformation: { debitAmount: 100, currency: 'EUR' },
      endGame: true,
      closeOpenGame: false,
      externalGameProviderRoundId: 'x1',
      session: { operatorId: 'op1', playerId: 'p1', gameCode: 'slot', providerId: 'gp1', expired: false },
    });
    expect(JSON.stringify(command)).not.toContain(token);
  });

  it('sums balances, passes discounts and tickets, and lists the free plays of the currency', async () => {
    const tickets = [
      { count: 3, stake: 100, currency: 'EUR', price: 0, feature: 'f', serial: 's1' },
      { count: 0, stake: 100, currency: 'EUR', price: 0, feature: 'f', serial: 's2' },
      { count: 1, stake: 100, currency: 'JPY', price: 0, feature: 'f', serial: 's3' },
    ];
    const discountInfo = { text: 'half price', campaignId: 'c1' };
    const freePlayInfo = {
      ...{ used: 1, granted: 3, won: 0, isLast: false, serial: 's1' },
      promotions: { protocolVersion: 1, data: '' },
    };
    const balances = [
      { type: 'real', amount: 5, currency: 'EUR' },
      { type: 'bonus', amount: 7, currency: 'EUR' },
    ];
    service.commands.startGameRound.mockResolvedValue(
      roundReply({ balance: { balances, discountInfo, tickets }, freePlayInfo }),
    );
    const reply = await providerCall(service, '/startGameRound', start(token));
    expect(reply.body.balance).toMatchObject({
      totalBalance: 12,
      discountInfo,
      tickets,
      ticketInfo: freePlayInfo,
    });
    expect(reply.body.freePlayInfo).toEqual(freePlayInfo);
    expect(reply.body.freePlaysAvailable).toEqual([
      { currency: 'EUR', stake: 100, count: 3, feature: 'f', serial: 's1' },
    ]);
  });

  it('needs the token’s currency', async () => {
    const body = start(token, { debitInformation: { debitAmount: 1, currency: 'JPY' } });
    const reply = await providerCall(service, '/startGameRound', body);
    expect(reply.status).toBe(400);
    expect(reply.body.errorCode?.msg).toContain('debitInformation.currency');
  });

  it('answers a refusal with its status, its error and the round’s state', async () => {
    const errorCode = { id: 4711, msg: 'NOMONEY', clientmsg: 'Please top up.' };
    const cancelled = { ...roundReply().gameRoundInfo, status: 'cancel' as const };
    service.commands.startGameRound.mockResolvedValue(
      roundReply({ gameRoundInfo: cancelled, refusal: { status: 400, errorCode } }),
    );
    const reply = await providerCall(service, '/startGameRound', start(token));
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      errorCode,
      gameRoundInfo: { hash: HASH, status: 'cancel' },
      tokenData: tokenDataOf(token),
    });
  });

  it('is tried again later when the outcome is not known yet', async () => {
    service.commands.startGameRound.mockRejectedValue(refuse('OPERATIONBEINGPROCESSED'));
    const reply = await providerCall(service, '/startGameRound', start(token));
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    expect(reply.body).toEqual({ errorCode: errorObject('OPERATIONBEINGPROCESSED') });
  });

  it('shows the last known balance when its own reply has none', async () => {
    service.commands.startGameRound.mockResolvedValueOnce(roundReply());
    service.commands.addWin.mockResolvedValueOnce(roundReply({ balance: undefined }));
    await providerCall(service, '/startGameRound', start(token));
    const reply = await providerCall(service, '/addWin', {
      token,
      gameRound: HASH,
      rngResult: { winAmount: 1 },
    });
    expect(reply.body.balance).toMatchObject({ totalBalance: 9_900 });
  });

  it('discounts and tickets of a wallet stay known until the wallet sends others, or getBalance has none', async () => {
    const balances = [{ type: 'real', amount: 5, currency: 'EUR' }];
    const tickets = [{ count: 2, stake: 100, currency: 'EUR', price: 0, feature: 'f', serial: 's1' }];
    const discountInfo = { campaignId: 'c1', discounts: [{ stake: 100, spinsRemaining: 1 }] };
    const grants = { tickets, discountInfo };
    service.commands.startGameRound.mockResolvedValueOnce(roundReply({ balance: { balances, ...grants } }));
    const first = await providerCall(service, '/startGameRound', start(token));
    const available = [{ currency: 'EUR', stake: 100, count: 2, feature: 'f', serial: 's1' }];
    expect(first.body).toMatchObject({ balance: grants, freePlaysAvailable: available });

    const money = { balances: [{ type: 'real', amount: 7, currency: 'EUR' }] };
    service.commands.endGameRound.mockResolvedValueOnce(roundReply({ balance: money }));
    service.commands.addWin.mockResolvedValue(roundReply({ balance: undefined }));
    const ended = await providerCall(service, '/endGameRound', { token, gameRound: HASH });
    expect(ended.body).toMatchObject({
      balance: { totalBalance: 7, ...grants },
      freePlaysAvailable: available,
    });
    const addWin = { token, gameRound: HASH, rngResult: { winAmount: 1 } };
    const added = await providerCall(service, '/addWin', addWin);
    expect(added.body).toMatchObject({
      balance: { totalBalance: 7, ...grants },
      freePlaysAvailable: available,
    });

    service.commands.endGameRound.mockResolvedValueOnce(
      roundReply({ balance: { balances: [], tickets: [] } }),
    );
    const used = await providerCall(service, '/endGameRound', { token, gameRound: HASH });
    expect(used.body).toMatchObject({ balance: { totalBalance: 7, discountInfo }, freePlaysAvailable: [] });

    await providerCall(service, '/getBalance', { token });
    const after = await providerCall(service, '/addWin', addWin);
    expect(after.body.balance).not.toHaveProperty('discountInfo');
  });

  it('a repeat has the first balance again, which does not become the last known one', async () => {
    const older = { balances: [{ type: 'real', amount: 500, currency: 'EUR' }] };
    service.commands.startGameRound.mockResolvedValueOnce(roundReply());
    service.commands.startGameRound.mockResolvedValueOnce(roundReply({ balance: older, isRepeat: true }));
    service.commands.addWin.mockResolvedValueOnce(roundReply({ balance: undefined }));
    await providerCall(service, '/startGameRound', start(token));
    const repeat = await providerCall(service, '/startGameRound', start(token));
    expect(repeat.body.balance).toMatchObject({ totalBalance: 500 });
    const rngResult = { winAmount: 1 };
    const reply = await providerCall(service, '/addWin', { token, gameRound: HASH, rngResult });
    expect(reply.body.balance).toMatchObject({ totalBalance: 9_900 });
  });
});

describe('commands on a round', () => {
  it('hand over the fields of the request', async () => {
    service.commands.addWin.mockResolvedValue(roundReply({ amountToCollect: 500 }));
    service.commands.endGameRound.mockResolvedValue(roundReply({ amountCredited: 500 }));
    service.commands.collectWin.mockResolvedValue(roundReply());
    service.commands.voidGameRound.mockResolvedValue(roundReply());
    service.commands.addSpinCounterGameState.mockResolvedValue(roundReply({ spinsAvailable: 4 }));
    const on = { token, gameRound: HASH };
    const betData = { line: '1', constructor: 'c' };
    const jackpotPayout = [{ jackpotId: 'j', jackpotMode: 'm' }];

    const won = await providerCall(service, '/addWin', {
      ...on,
      ...{ rngResult: { winAmount: 500, betData }, collect: true, jackpotPayout },
      externalGameProviderTransactionId: 't1',
    });
    expect(won.body.amountToCollect).toBe(500);
    expect(service.commands.addWin.mock.calls[0]![0]).toMatchObject({
      ...{ gameRound: HASH, rngResult: { winAmount: 500, betData }, collect: true, jackpotPayout },
      externalGameProviderTransactionId: 't1',
    });

    const ended = await providerCall(service, '/endGameRound', on, { requestId: 'e1' });
    expect(ended.body.amountCredited).toBe(500);
    expect(service.commands.endGameRound.mock.calls[0]![0]).toMatchObject({
      gameRound: HASH,
      requestId: 'e1',
    });

    await providerCall(service, '/collectWin', { ...on, amount: 5 });
    expect(service.commands.collectWin.mock.calls[0]![0]).toMatchObject({ amount: 5 });

    const voided = await providerCall(service, '/voidGameRound', on);
    expect([voided.status, voided.body.errorCode]).toEqual([200, undefined]);

    const spun = await providerCall(service, '/addSpinCounterGameState', {
      ...on,
      counterType: 'customspin',
      rngResult: { rngCallId: 'r', result: { awarded: 5 } },
      gameStateResult: { a: 'b' },
    });
    expect(spun.body.spinsAvailable).toBe(4);
    expect(service.commands.addSpinCounterGameState.mock.calls[0]![0]).toMatchObject({
      ...{ counterType: 'customspin', rngCallId: 'r', awarded: 5, used: 0, gameStateResult: { a: 'b' } },
    });
  });

  it('reach the round that is named in capitals', async () => {
    service.commands.voidGameRound.mockResolvedValue(roundReply());
    await providerCall(service, '/voidGameRound', { token, gameRound: HASH.toUpperCase() });
    expect(service.commands.voidGameRound.mock.calls[0]![0]).toMatchObject({ gameRound: HASH });
  });

  it('fail with the refusal’s status and body', async () => {
    service.commands.endGameRound.mockResolvedValue(
      roundReply({ refusal: { status: 400, errorCode: errorObject('GAMEROUNDNOTACTIVE') } }),
    );
    const reply = await providerCall(service, '/endGameRound', { token, gameRound: HASH });
    expect([reply.status, reply.body.errorCode?.id]).toEqual([400, 2000]);
    service.commands.endGameRound.mockRejectedValue(refuse('GAMEROUNDNOTFOUND'));
    const unknown = await providerCall(service, '/endGameRound', { token, gameRound: 'r' });
    expect([unknown.status, unknown.body]).toEqual([404, { errorCode: errorObject('GAMEROUNDNOTFOUND') }]);
  });
});

/** Every field of the interface's requests, and the command that it becomes. */
describe('every field of the request reaches the command of', () => {
  const rngResult = { rngCallId: 'r', result: 'A B', winAmount: 7 };
  const on = { gameRound: HASH };
  const named = { ...on, externalGameProviderTransactionId: 't1' };
  const jackpotPayout = [{ jackpotId: 'j', jackpotMode: 'm' }];
  const starting = {
    rngResult,
    debitInformation: { debitAmount: 5, currency: 'EUR', useTicketInfo: { useTicket: true } },
    ...{ endGame: true, closeOpenGame: true, externalGameProviderRoundId: 'x'.repeat(32) },
  };
  const winning = {
    ...named,
    ...{ rngResult: { ...rngResult, betData: { line: '1' } }, collect: true, jackpotPayout },
  };
  const counting = { ...named, counterType: 'customspin', gameStateResult: { a: 'b' } };
  const spins = { rngCallId: 'r', result: { awarded: 5, used: 2 }, winAmount: 0 };
  const counted = { ...counting, rngCallId: 'r', awarded: 5, used: 2 };
  it.each([
    ['startGameRound', starting, starting],
    ['addWin', winning, winning],
    ['endGameRound', named, named],
    ['collectWin', { ...named, amount: 3 }, { ...named, amount: 3 }],
    ['voidGameRound', on, on],
    ['addSpinCounterGameState', { ...counting, rngResult: spins }, counted],
  ] as const)('%s', async (name, request, expected) => {
    const spinsLeft = name === 'addSpinCounterGameState' ? { spinsAvailable: 3 } : {};
    service.commands[name].mockResolvedValue(roundReply(spinsLeft));
    const reply = await providerCall(service, `/${name}`, { token, ...request }, { requestId: 'call-1' });
    expect(reply.status).toBe(200);
    const [command] = service.commands[name].mock.calls[0]!;
    const { session, ...rest } = command;
    expect(session).toMatchObject({ operatorId: 'op1', playerId: 'p1', gameCode: 'slot' });
    expect(rest).toEqual({ ...expected, requestId: 'call-1' });
  });
});

describe('getGameRoundInfo', () => {
  it('has a round’s whole state, with totalWinAmount and transactions', async () => {
    service.commands.describeRound.mockResolvedValue(snapshot());
    const reply = await providerCall(service, '/getGameRoundInfo', { token, gameRound: HASH });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      tokenData: tokenDataOf(token),
      gameRoundInfo: { hash: HASH, status: 'open', stake: 100 },
      gameState: [{ type: 'genericwin', result: { winAmount: 250 } }],
      amountToCollect: 250,
      amountCredited: 0,
      totalWinAmount: 250,
      transactions: [{ type: 'debit', hash: 'd1', amount: 100, isFirstDebit: true }],
    });
    expect(JSON.stringify(reply.body.transactions)).not.toContain('outcome');
  });

  it('finds it by the provider’s id, which is one round per operator, player and game', async () => {
    const hash = gameroundHash(
      'op1',
      'p1',
      'slot',
      roundName({ externalGameProviderRoundId: 'x1', requestId: '' }),
    );
    service.commands.describeRound.mockImplementation((asked) =>
      Promise.resolve(asked === hash ? snapshot({}, { gameround: hash }) : undefined),
    );
    const ask = async (by: string) =>
      (await providerCall(service, '/getGameRoundInfo', { token: by, externalGameProviderRoundId: 'x1' }))
        .status;
    expect(await ask(token)).toBe(200);
    expect(await ask(await sessionToken(service, { playerId: 'p2' }))).toBe(400);
    expect(await ask(await sessionToken(service, {}, { id: 'op2' }))).toBe(400);
  });

  it('takes the token’s open round when none is named; none: GAMEROUNDNOTSTARTED', async () => {
    const none = await providerCall(service, '/getGameRoundInfo', { token });
    expect([none.status, none.body.errorCode?.id]).toEqual([400, 15]);
    service.openRound.mockResolvedValue(snapshot());
    expect((await providerCall(service, '/getGameRoundInfo', { token })).body.gameRoundInfo).toMatchObject({
      hash: HASH,
    });
  });

  it.each(['/getGameRoundInfo', '/getUncollectedAmount'])('%s finds a hash in capitals', async (path) => {
    service.commands.describeRound.mockResolvedValue(snapshot());
    const reply = await providerCall(service, path, { token, gameRound: HASH.toUpperCase() });
    expect(reply.status).toBe(200);
    expect(service.commands.describeRound.mock.calls[0]?.[0]).toBe(HASH);
  });

  it('does not know an unknown hash', async () => {
    const reply = await providerCall(service, '/getGameRoundInfo', { token, gameRound: 'nothing' });
    expect([reply.status, reply.body]).toEqual([404, { errorCode: errorObject('GAMEROUNDNOTFOUND') }]);
  });

  it.each([
    { operatorId: 'op2' },
    { playerId: 'p2' },
    { gameCode: 'other' },
    { providerId: 'gp2' },
    { currency: 'JPY' },
  ])('answers for a round of another (%j) as if it did not exist', async (identity) => {
    const unknown = await providerCall(service, '/getGameRoundInfo', { token, gameRound: HASH });
    service.commands.describeRound.mockResolvedValue(snapshot({}, identity));
    for (const path of ['/getGameRoundInfo', '/getUncollectedAmount']) {
      const reply = await providerCall(service, path, { token, gameRound: HASH });
      expect([reply.status, reply.text]).toEqual([404, unknown.text]);
    }
  });
});

describe('other reads', () => {
  it('getUncollectedAmount, getTokenData, getAvailableSpinCounter', async () => {
    service.commands.describeRound.mockResolvedValue(snapshot());
    service.openRound.mockResolvedValue(snapshot());
    const on = { token, gameRound: HASH };
    expect((await providerCall(service, '/getUncollectedAmount', on)).body).toEqual({
      tokenData: tokenDataOf(token),
      amountToCollect: 250,
    });
    expect((await providerCall(service, '/getTokenData', { token })).body).toEqual({
      tokenData: tokenDataOf(token),
    });
    // The open round is another provider's, since the game has moved, or in another currency.
    for (const others of [{ providerId: 'gp0' }, { currency: 'JPY' }]) {
      service.openRound.mockResolvedValue(snapshot({}, others));
      const { body } = await providerCall(service, '/getTokenData', { token });
      expect(body).toMatchObject({ tokenData: { gameRound: '' } });
      const none = await providerCall(service, '/getGameRoundInfo', { token });
      expect([none.status, none.body.errorCode?.id]).toEqual([400, 15]);
    }
    const counter = await providerCall(service, '/getAvailableSpinCounter', {
      ...on,
      counterType: 'customspin',
    });
    expect(counter.body).toEqual({ tokenData: tokenDataOf(token), amountToCollect: 250, spinsAvailable: 3 });
    const none = await providerCall(service, '/getAvailableSpinCounter', {
      ...on,
      counterType: '__proto__x',
    });
    expect(none.body.spinsAvailable).toBe(0);
  });

  it('getBalance is a bare balance, asked for with the game', async () => {
    const reply = await providerCall(service, '/getBalance', { token });
    expect(reply.body).toEqual({
      totalBalance: 10_000,
      mode: 'real',
      currency: 'EUR',
      balances: [{ type: 'real', currency: 'EUR', amount: 10_000 }],
    });
    expect(service.getBalance).toHaveBeenLastCalledWith(expect.objectContaining({ operatorId: 'op1' }), {
      ...{ playerId: 'p1', currency: 'EUR', gameCode: 'slot' },
    });
  });

  it('getBalance passes the operator’s own error on, but not that the operator refuses our signature', async () => {
    const own = { id: 77, msg: 'PLAYERBLOCKED', clientmsg: 'Sorry.' };
    service.getBalance.mockResolvedValueOnce({ kind: 'rejected', errorCode: own });
    const refused = await providerCall(service, '/getBalance', { token });
    expect([refused.status, refused.body]).toEqual([400, { errorCode: own }]);
    for (const answer of [
      { kind: 'rejected' as const, errorCode: { id: 1001, msg: 'SIGNATUREWRONG', clientmsg: '' } },
      { kind: 'rejected' as const },
      { kind: 'unavailable' as const, reason: 'connect ECONNREFUSED 10.1.2.3' },
    ]) {
      service.getBalance.mockResolvedValueOnce(answer);
      const reply = await providerCall(service, '/getBalance', { token });
      expect([reply.status, reply.body]).toEqual([502, { errorCode: errorObject('WALLETUNAVAILABLE') }]);
    }
  });
});
