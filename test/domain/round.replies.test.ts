import { gameRoundDetail } from '../../src/domain/round/record';
import {
  effectiveTransactions,
  freePlayInfo,
  gameRoundInfo,
  replyAbout,
  snapshotOf,
  totals,
} from '../../src/domain/round/replies';
import { refusal } from '../../src/domain/errors';
import {
  ACCEPTED,
  addWin,
  collectWin,
  DECLINED,
  end,
  IDENTITY,
  LATER,
  opened,
  rejected,
  start,
  TestRound,
  throughJson,
  ticketStart,
  UNKNOWN,
  VOID,
} from './support';

const WON = start({ winAmount: 40 });

describe('gameRoundInfo', () => {
  it('has the fields of the interface; baseStake is the stake before the multiplier', () => {
    const identity = { ...IDENTITY, currencyMultiplier: 100, currency: 'JPY' };
    const round = new TestRound(start({ debitAmount: 500, currency: 'JPY' }), {}, identity).deliver(ACCEPTED);
    expect(gameRoundInfo(round.state)).toEqual({
      hash: IDENTITY.gameround,
      status: 'open',
      stake: 500,
      baseStake: 5,
      mode: 'real',
      currency: 'JPY',
      game: 'demo-slot',
      currencyMultiplier: 100,
      commonRoundHash: '',
    });
  });

  it('a multiplier of 0.1: exact integers', () => {
    const identity = { ...IDENTITY, currencyMultiplier: 0.1 };
    for (let debitAmount = 1; debitAmount <= 300; debitAmount += 1) {
      const { state } = new TestRound(start({ debitAmount }), {}, identity);
      expect(gameRoundInfo(state).baseStake).toBe(debitAmount * 10);
    }
  });
});

describe('replies', () => {
  it('a refusal that is not kept tells how the round stands', () => {
    const round = opened(WON);
    const reply = replyAbout(round.state, refusal('IDEMPOTENCYMISMATCH'));
    expect(reply).toMatchObject({
      refusal: { status: 400, errorCode: { id: 2002 } },
      gameRoundInfo: { status: 'open' },
      amountToCollect: 40,
      amountCredited: 0,
    });
  });

  it('a reply carries a bounded number of entries, the newest ones', () => {
    const round = opened();
    for (let n = 1; n <= 120; n += 1) round.do(addWin(`w-${n}`, n));
    const { gameState } = round.reply(addWin('w-120', 120));
    expect(gameState.length).toBeLessThanOrEqual(50);
    expect(gameState.at(-1)?.result.winAmount).toBe(120);
    expect(round.reply(addWin('w-10', 10)).gameState.at(-1)?.result.winAmount).toBe(10);
  });

  it('voidGameRound answered with success never carries a refusal', () => {
    const round = opened(WON);
    expect(round.do(VOID, ACCEPTED).refusal).toBeUndefined();
  });
});

describe('a snapshot', () => {
  it('tells status, money, transactions and attention; nothing of the machine’s own', () => {
    const round = opened(WON);
    round.do(end(), ACCEPTED);
    const snapshot = throughJson(snapshotOf(round.state));
    expect(snapshot).toMatchObject({ status: 'closed', closedAt: LATER, crashed: false, amountToCollect: 0 });
    expect(snapshot.transactions.map(({ type }) => type)).toEqual(['debit', 'credit', 'end']);
    expect(snapshot.attention).toEqual([]);
    expect(snapshot).not.toHaveProperty('commands');
    expect(snapshot).not.toHaveProperty('settings');
  });
});

describe('which transactions took effect, and their sums', () => {
  it('bets and wins that were accepted', () => {
    const round = opened(WON);
    round.do(collectWin('c', 15), ACCEPTED);
    round.do(end(), ACCEPTED);
    expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 40 });
    expect(effectiveTransactions(round.state).map(({ type }) => type)).toEqual([
      'debit',
      'credit',
      'credit',
      'end',
    ]);
  });

  it('not: a declined debit', () => {
    const round = opened(WON, { followUpDebits: true });
    round.do(start({ rngCallId: 'rng-2' }), DECLINED);
    expect(totals(round.state).totalBetAmount).toBe(100);
    expect(effectiveTransactions(round.state)).toHaveLength(1);
  });

  it('not in the sum: an unknown debit; in the list only with its void after it', () => {
    const round = opened(WON, { followUpDebits: true });
    round.do(start({ rngCallId: 'rng-2' }), UNKNOWN, ACCEPTED);
    expect(totals(round.state).totalBetAmount).toBe(100);
    expect(effectiveTransactions(round.state).map(({ type }) => type)).toEqual(['debit', 'debit', 'void']);
  });

  it('not: a voided debit, a refused credit', () => {
    const round = opened(WON);
    round.do(end(), rejected(), ACCEPTED);
    expect(totals(round.state)).toEqual({ totalBetAmount: 0, totalWinAmount: 0 });
    expect(effectiveTransactions(round.state).map(({ type }) => type)).toEqual(['debit', 'void']);
  });

  it('not: a credit that crashed its round', () => {
    const round = opened(WON);
    round.do(end(), rejected({ maybePaid: true }));
    expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 0 });
  });

  it('a ticket is no bet in money: 0', () => {
    expect(totals(opened(ticketStart()).state).totalBetAmount).toBe(0);
  });
});

describe('payed and totalPayedAmount of a report: what was really taken or given', () => {
  const detailOf = (round: TestRound) => gameRoundDetail(snapshotOf(round.state), 'test');
  const payed = (round: TestRound) => {
    const { transactions, totalPayedAmount } = detailOf(round);
    return [transactions.map(({ type, payed: money }) => `${type} ${money}`), totalPayedAmount];
  };

  it('the stake and the win', () => {
    const round = opened(WON);
    round.do(end(), ACCEPTED);
    expect(payed(round)).toEqual([['debit 100', 'credit 40', 'end undefined'], 100]);
  });

  it('the discount taken off, nothing for a ticket', () => {
    const round = opened(start({ discount: { amount: 30, campaignId: 'c' } }));
    expect(payed(round)).toEqual([['debit 70'], 70]);
    expect(payed(opened(ticketStart()))).toEqual([['debit 0'], 0]);
    expect(detailOf(opened(ticketStart())).ticketUsed).toBe(true);
  });

  it('nothing for a follow-up that was taken back', () => {
    const round = opened(WON, { followUpDebits: true });
    round.do(start({ rngCallId: 'rng-2' }), UNKNOWN, ACCEPTED);
    round.do(end(), ACCEPTED);
    expect(payed(round)).toEqual([
      ['debit 100', 'debit 0', 'void undefined', 'credit 40', 'end undefined'],
      100,
    ]);
  });

  it('nothing for a round that was voided', () => {
    const round = opened();
    round.do(VOID, ACCEPTED);
    expect(payed(round)).toEqual([['debit 0', 'void undefined'], 0]);
  });
});

describe('freePlayInfo counts used, granted and won of a serial, and knows the last one', () => {
  it('counts this round’s free play and its wins to those before', () => {
    const round = opened(ticketStart({ winAmount: 10 }));
    round.do(addWin('w', 5));
    expect(freePlayInfo(round.state)).toMatchObject({
      used: 3,
      granted: 5,
      won: 515,
      isLast: false,
      serial: 'T-1',
    });
  });

  it('the last one', () => {
    const ticket = { serial: 'T-1', stake: 20, currency: 'EUR', count: 1, usedBefore: 4, wonBefore: 0 };
    expect(freePlayInfo(opened(ticketStart({ ticket })).state)).toEqual({
      used: 5,
      granted: 5,
      won: 0,
      isLast: true,
      promotions: { protocolVersion: 1, data: '' },
      serial: 'T-1',
    });
  });

  it('a declined debit used none', () => {
    const round = new TestRound(ticketStart()).deliver(DECLINED);
    expect(freePlayInfo(round.state)?.used ?? 2).toBe(2);
  });

  it('none without a ticket', () => {
    expect(freePlayInfo(opened().state)).toBeUndefined();
  });
});
