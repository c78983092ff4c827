import type { ReconcileResult } from '../../src/contracts/reconcile';
import { errorObject, refuse } from '../../src/domain/errors';
import { HASH, operatorCall, snapshot, startService, type Service } from './support';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

const debit = {
  ...{ type: 'debit', hash: 'd1', isFirstDebit: true, amount: 100, currency: 'EUR' },
  timestamp: '2026-01-02T03:04:05.000Z',
};
const record = {
  ...{ hash: HASH, player: 'p1', mode: 'real', game: 'slot', operator: 'op1', status: 'closed' },
  ...{ language: 'de', currency: 'EUR', environment: 'test', timestamp: '2026-01-02T03:04:05.000Z' },
  ...{ totalBetAmount: 100, totalWinAmount: 0, transactions: [debit] },
};
const closed = () => snapshot({ status: 'closed', closedAt: '2026-01-02T03:05:00.000Z', amountToCollect: 0 });

describe('reconcileTransactions', () => {
  const reconcile = (signing = {}) =>
    operatorCall(service, 'POST', '/reconcileTransactions', [HASH], { gameRound: HASH }, signing);
  const answer = (outcome: Partial<ReconcileResult['outcome']>) =>
    service.reconcile.mockResolvedValue({
      round: closed(),
      outcome: { kind: 'accepted', hashesProcessed: [], ...outcome },
    });

  it('mirrors what the operator answered', async () => {
    const balances = [
      { type: 'real', amount: 900, currency: 'EUR' },
      { type: 'bonus', amount: 50, currency: 'EUR' },
    ];
    answer({ hashesProcessed: [{ hash: 'd1' }], balance: { balances } });
    const reply = await reconcile();
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        ...{
          gameRound: record,
          hashesProcessed: [{ hash: 'd1' }],
          balance: 950,
          currency: 'EUR',
          mode: 'real',
        },
      },
    ]);
    expect(service.reconcile.mock.calls).toEqual([['op1', HASH]]);
  });

  it('answers a refusal with the operator’s own error, 400', async () => {
    const errorCode = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit.' };
    answer({ kind: 'rejected', errorCode, hashesProcessed: [{ hash: 'd1', errorCode }] });
    const reply = await reconcile();
    expect([reply.status, reply.body]).toEqual([
      400,
      {
        ...{ gameRound: record, hashesProcessed: [{ hash: 'd1', errorCode }], currency: 'EUR', mode: 'real' },
        errorCode,
      },
    ]);
  });

  it('answers 502 if the operator can’t be reached', async () => {
    answer({ kind: 'unreachable' });
    const reply = await reconcile();
    expect([reply.status, reply.body.errorCode]).toEqual([502, errorObject('WALLETUNAVAILABLE')]);
    expect(reply.body).toMatchObject({ gameRound: record, hashesProcessed: [] });
  });

  it('succeeds if no transaction was ever accepted', async () => {
    answer({ kind: 'nothing' });
    const reply = await reconcile();
    expect([reply.status, reply.body]).toEqual([
      200,
      { gameRound: record, hashesProcessed: [], currency: 'EUR', mode: 'real' },
    ]);
  });

  it('does not know another operator’s round, and answers 503 if it takes too long', async () => {
    service.reconcile.mockRejectedValueOnce(refuse('GAMEROUNDNOTFOUND'));
    const unknown = await reconcile({ id: 'op2' });
    expect([unknown.status, unknown.body]).toEqual([404, { errorCode: errorObject('GAMEROUNDNOTFOUND') }]);
    expect(service.reconcile.mock.calls).toEqual([['op2', HASH]]);
    service.reconcile.mockRejectedValueOnce(refuse('OPERATIONBEINGPROCESSED'));
    const late = await reconcile();
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('takes a hash in capitals, signed as it was sent', async () => {
    answer({});
    const capitals = HASH.toUpperCase();
    const body = { gameRound: capitals };
    const reply = await operatorCall(service, 'POST', '/reconcileTransactions', [capitals], body);
    expect(reply.status).toBe(200);
    expect(service.reconcile.mock.calls).toEqual([['op1', HASH]]);
  });

  it('needs gameRound, and signs it', async () => {
    const path = '/reconcileTransactions';
    expect((await operatorCall(service, 'POST', path, [], { gameRound: HASH })).status).toBe(401);
    expect((await operatorCall(service, 'POST', path, [HASH, 'x'], { gameRound: HASH })).status).toBe(401);
    expect((await operatorCall(service, 'POST', path, [], {})).body.errorCode?.msg).toBe(
      'INVALIDREQUEST: gameRound is required',
    );
    expect(service.reconcile).not.toHaveBeenCalled();
  });
});

describe('getGameRoundDetails and getGameRoundReport', () => {
  const details = (playerId = 'p1', gameRound = HASH, signing = {}) => {
    const path = `/getGameRoundDetails?playerId=${playerId}&gameRound=${gameRound}`;
    return operatorCall(service, 'GET', path, [playerId, gameRound], undefined, signing);
  };
  const report = (playerId = 'p1', gameRound = HASH, signing = {}) => {
    const body = { playerId, gameRound };
    return operatorCall(service, 'POST', '/getGameRoundReport', [playerId, gameRound], body, signing);
  };

  it('give the operator’s record, with the provider’s result as an extra entry', async () => {
    service.commands.describeRound.mockResolvedValue(closed());
    expect((await details()).body).toEqual({ gameRound: record });
    service.commands.describeRound.mockResolvedValue({ ...closed(), dataStored: { reels: '1' } });
    expect((await details()).body).toEqual({ gameRound: { ...record, dataStored: { reels: '1' } } });
    service.commands.describeRound.mockResolvedValue(snapshot({ crashed: true }));
    expect((await details()).body).toEqual({ gameRound: { ...record, status: 'open', crashed: true } });
  });

  it('give the report’s detail', async () => {
    service.commands.describeRound.mockResolvedValue({ ...closed(), dataStored: { reels: '1' } });
    expect((await report()).body).toEqual({
      gameRoundDetail: {
        ...record,
        transactions: [{ ...debit, payed: 100, balanceAfter: 9_900 }],
        ...{ baseStake: 100, totalPayedAmount: 100, dataStored: { reels: '1' }, ticketUsed: false },
        balanceAfter: 9_900,
      },
    });
  });

  it('give every field of a transaction, and leave out internal fields', async () => {
    const at = { currency: 'EUR', timestamp: '2026-01-02T03:04:05.000Z', reason: 'why' };
    const discounted = { discountAmount: 30, discountCampaignId: 'c1' };
    const byTicket = { serial: 'T-1', freePlayStake: 20, freePlayUsed: true };
    const shown = [
      { ...at, type: 'debit' as const, hash: 'd1', isFirstDebit: true, amount: 100, ...discounted },
      { ...at, type: 'debit' as const, hash: 'd2', isFirstDebit: false, ...byTicket },
      { ...at, type: 'credit' as const, hash: 'c1', amount: 70 },
      { ...at, type: 'end' as const, hash: 'e1' },
    ];
    const transactions = shown.map((one) => ({
      ...{ ...one, outcome: 'accepted' as const, balanceAfter: 5 },
      errorCode: { id: 1, msg: '', clientmsg: '' },
    }));
    service.commands.describeRound.mockResolvedValue({ ...closed(), transactions });
    expect((await details()).body.gameRound).toMatchObject({ totalBetAmount: 100, totalWinAmount: 70 });
    expect((await details()).body).toMatchObject({ gameRound: { transactions: shown } });
    expect(Object.keys((await details()).body.gameRound as object).sort()).toEqual(
      Object.keys(record).sort(),
    );
    const { transactions: listed } = (await details()).body.gameRound as { transactions: object[] };
    expect(listed).toEqual(shown);
    const { gameRoundDetail } = (await report()).body as { gameRoundDetail: { transactions: object[] } };
    const payed = [70, 0, 70, undefined];
    expect(gameRoundDetail.transactions).toEqual(
      shown.map((one, index) => ({
        ...one,
        payed: payed[index],
        balanceAfter: 5,
      })),
    );
    expect(gameRoundDetail).toMatchObject({ totalPayedAmount: 70, balanceAfter: 5 });
  });

  it('do not know another operator’s round, nor another player’s', async () => {
    const unknown = [await details(), await report()].map(({ status, text }) => [status, text]);
    expect(unknown[0]).toEqual([404, JSON.stringify({ errorCode: errorObject('GAMEROUNDNOTFOUND') })]);
    service.commands.describeRound.mockResolvedValue(closed());
    for (const asked of [
      [await details('p1', HASH, { id: 'op2' }), await report('p1', HASH, { id: 'op2' })],
      [await details('p2'), await report('p2')],
    ]) {
      expect(asked.map(({ status, text }) => [status, text])).toEqual(unknown);
    }
  });

  it('sign playerId and gameRound in this order', async () => {
    service.commands.describeRound.mockResolvedValue(closed());
    const path = `/getGameRoundDetails?playerId=p1&gameRound=${HASH}`;
    expect((await operatorCall(service, 'GET', path, [HASH, 'p1'], undefined)).status).toBe(401);
    const twice = `${path}&gameRound=${HASH}`;
    expect((await operatorCall(service, 'GET', twice, ['p1', HASH], undefined)).status).toBe(401);
    const body = { playerId: 'p1', gameRound: HASH };
    expect((await operatorCall(service, 'POST', '/getGameRoundReport', [HASH, 'p1'], body)).status).toBe(401);
  });
});

describe('GET /backoffice/getGameConfiguration', () => {
  const ask = (gameCode: string, currency: string, fields = [gameCode, currency]) => {
    const query = new URLSearchParams({ gameCode, currency }).toString();
    return operatorCall(service, 'GET', `/backoffice/getGameConfiguration?${query}`, fields, undefined);
  };
  const config = {
    ...{ stakes: [1_000, 2_000], currency: 'JPY', currencyMultiplier: 100, expectedRtp: 96 },
    ...{ maxPayoutOdds: 5_000, anything: 'else' },
  };

  it('gives the game’s configuration for a currency of the operator', async () => {
    service.gameConfiguration.mockResolvedValue({ config, gameCode: 'slot' });
    const reply = await ask('slot', 'JPY');
    expect([reply.status, reply.body]).toEqual([200, { config, gameCode: 'slot' }]);
    expect(service.gameConfiguration.mock.calls[0]).toEqual([
      expect.objectContaining({
        operatorId: 'op1',
        currencies: expect.objectContaining({ JPY: 100 }) as unknown,
      }),
      expect.objectContaining({ gameCode: 'slot', providerId: 'gp1' }),
      'JPY',
    ]);
  });

  it('is refused for what the operator does not have, and when the game has no answer', async () => {
    expect((await ask('nothing', 'EUR')).body.errorCode?.msg).toBe('GAMENOTFOUND');
    service.gameConfiguration.mockRejectedValue(refuse('GAMEPROVIDERUNAVAILABLE'));
    const reply = await ask('slot', 'EUR');
    expect([reply.status, reply.body]).toEqual([502, { errorCode: errorObject('GAMEPROVIDERUNAVAILABLE') }]);
    expect((await ask('slot', 'EUR', ['EUR', 'slot'])).status).toBe(401);
  });
});
