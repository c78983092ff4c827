import { marksOf } from '../../src/domain/round/marks';
import { RECONCILE } from '../../src/domain/round/keys';
import {
  confirmsVoids,
  readReconcileAnswer,
  settledBy,
  transactionsToResend,
} from '../../src/domain/round/reconcile';
import { snapshotOf, totals } from '../../src/domain/round/replies';
import { restoredRound } from '../../src/domain/round/restored';
import type { EndCommand, SettleCommand } from '../../src/domain/round/types';
import {
  ACCEPTED,
  addWin,
  collectWin,
  DECLINED,
  describeCall,
  end,
  END_REJECTED,
  LATER,
  opened,
  OPERATOR_ERROR,
  settings,
  rejected,
  retryable,
  start,
  TestRound,
  UNKNOWN,
  VOID,
} from './support';

const WON = start({ winAmount: 40 });
const GENTLE: EndCommand = { ...end('reconcile', 'reconcileTransactions'), forReconciliation: true };

function settleCommand(accepted: string[], declined: string[] = [], key = 'settle-1'): SettleCommand {
  return { type: 'settle', key, reason: 'as the books say', accepted, declined };
}

function whyRefused(round: TestRound, command: SettleCommand): string {
  const decision = round.send(command);
  if (decision.kind !== 'refuse') return decision.kind;
  expect(decision.refusal.status).toBe(400);
  return decision.refusal.errorCode.msg.replace('INVALIDREQUEST: ', '');
}

function hashesOf(round: TestRound, ...outcomes: string[]): string[] {
  return round.state.transactions
    .filter(({ outcome }) => outcomes.length === 0 || outcomes.includes(outcome))
    .map(({ hash }) => hash);
}

function crashed(): TestRound {
  const round = opened(WON);
  round.do(end(), rejected({ maybePaid: true }));
  return round;
}

function resent(round: TestRound): string[] {
  return describeCall(transactionsToResend(snapshotOf(round.state)));
}

describe('an open round is closed first; a close that is refused for good ends in crashed', () => {
  it('with its open winnings credited', () => {
    const round = opened(WON);
    const reply = round.do(GENTLE, ACCEPTED);
    expect(round.shapes).toEqual([['debit 100'], ['credit 40', 'end']]);
    expect(reply).toMatchObject({ amountCredited: 40, gameRoundInfo: { status: 'closed' } });
  });

  it.each([
    ['refused', rejected()],
    ['refused after it may have been paid', rejected({ maybePaid: true })],
    ['its end refused', END_REJECTED],
  ] as const)(
    '%s for good: crashed with the operator’s error, nothing voided, and a person can decide',
    (_, outcome) => {
      const round = opened(WON);
      const reply = round.do(GENTLE, outcome);
      expect(reply).toMatchObject({
        refusal: { status: 400, errorCode: OPERATOR_ERROR },
        gameRoundInfo: { status: 'open' },
      });
      expect(round.state).toMatchObject({ status: 'open', crashed: true, pending: undefined });
      expect(round.transactions('void')).toEqual([]);
      round.do(settleCommand([], hashesOf(round, 'pending')));
      expect(round.state).toMatchObject({ status: 'closed', crashed: false });
    },
  );

  it('no answer: sent again, the same', () => {
    const outcome = retryable({ maybePaid: true });
    const round = opened(WON);
    round.send(GENTLE);
    const sent = round.state.pending?.transactions;
    round.deliver(outcome, outcome);
    expect(round.state).toMatchObject({ status: 'open', crashed: false });
    expect(round.state.pending?.transactions).toEqual(sent);
    expect(marksOf(round.state)).toEqual(['credit-pending']);
    expect(round.transactions('void')).toEqual([]);
    round.deliver(ACCEPTED);
    expect(round.reply(GENTLE)).toMatchObject({ amountCredited: 40, gameRoundInfo: { status: 'closed' } });
    expect(round.transactions('credit')).toHaveLength(1);
  });
});

describe('a crashed round with a void that is owed', () => {
  /** The second bet is in doubt and its void has no answer; the record alone is left. */
  function restored(): { round: TestRound; hash: string } {
    const before = new TestRound(start(), { followUpDebits: true }).deliver(ACCEPTED);
    before.send(start({ rngCallId: 'rng-2' }));
    before.deliver(UNKNOWN);
    const round = new TestRound().replace(restoredRound(snapshotOf(before.state), settings(), LATER));
    return { round, hash: round.transactions('void')[0]!.hash };
  }
  const outcomes = ({ state }: TestRound): string[] =>
    state.transactions.map(({ type, outcome }) => `${type} ${outcome}`);

  it('a settle that accepts their common hash says that the bet was given back, not that it was taken', () => {
    const { round, hash } = restored();
    round.do(settleCommand([hash]));
    expect(outcomes(round)).toEqual(['debit accepted', 'debit unknown', 'void accepted', 'end pending']);
  });

  it('a settle can not decline it: the player would lose the bet', () => {
    const { round, hash } = restored();
    expect(round.refusal(settleCommand([], [hash]))).toBe('INVALIDREQUEST');
    expect(outcomes(round).slice(0, 3)).toEqual(['debit accepted', 'debit unknown', 'void pending']);
  });

  it('a settle under the key of reconciliations does not keep a later one from closing the round', () => {
    const { round, hash } = restored();
    round.do(settleCommand([], [], RECONCILE));
    const owed = hashesOf(round, 'pending');
    expect(owed).toContain(hash);
    round.do(settleCommand(owed, [], RECONCILE));
    expect(round.state).toMatchObject({ status: 'closed', crashed: false });
  });
});

describe('a crashed round is open, so it is closed with its open winnings as well', () => {
  /** 40 won, 10 paid, 5 refused: 25 that no credit was ever sent for. */
  function partlyCollected(): TestRound {
    const round = opened(WON);
    round.do(collectWin('c-1', 10), ACCEPTED);
    round.do(collectWin('c-2', 5), rejected());
    expect(round.state).toMatchObject({ crashed: true, amountToCollect: 30 });
    return round;
  }

  it('what was never asked for is owed too, and the end; nothing is sent before the others', () => {
    const round = partlyCollected();
    round.send(GENTLE);
    expect(round.state).toMatchObject({ status: 'open', crashed: true, pending: undefined });
    expect(resent(round)).toEqual(['debit 100', 'credit 10', 'credit 5', 'credit 25', 'end']);
  });

  it('once, however often it is reconciled', () => {
    const round = partlyCollected();
    round.send(GENTLE);
    const before = round.state;
    expect(round.send(GENTLE).kind).toBe('join');
    expect(round.state).toBe(before);
    expect(round.refusal(end())).toBe('GAMEROUNDCRASHED');
  });

  it('when all is accepted all is paid', () => {
    const round = partlyCollected();
    round.send(GENTLE);
    const accepted = settledBy(snapshotOf(round.state), { kind: 'accepted', hashesProcessed: [] });
    round.do(settleCommand(accepted!));
    expect(round.state).toMatchObject({ status: 'closed', amountToCollect: 0 });
    expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 40 });
  });

  it('not while a debit is undecided, and nothing beside what it owes already', () => {
    const undecided = opened(WON, { followUpDebits: true, voidsWholeRound: true });
    undecided.do(collectWin('c', 10), ACCEPTED);
    undecided.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), UNKNOWN);
    expect(undecided.refusal(GENTLE)).toBe('GAMEROUNDCRASHED');
    const round = crashed();
    expect(round.refusal(GENTLE)).toBe('GAMEROUNDCRASHED');
    expect(resent(round)).toEqual(['debit 100', 'credit 40', 'end']);
  });
});

describe('what is resent: all transactions, unchanged and in their order', () => {
  it('all of a closed round, as it was sent', () => {
    const round = opened(WON);
    round.do(collectWin('c', 10), ACCEPTED);
    round.do(end(), ACCEPTED);
    expect(transactionsToResend(snapshotOf(round.state))).toEqual(round.calls.flat());
  });

  it('not a declined debit', () => {
    const round = opened(WON, { followUpDebits: true });
    round.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), DECLINED);
    round.do(end(), ACCEPTED);
    expect(resent(round)).toEqual(['debit 100', 'credit 40', 'end']);
    expect(resent(new TestRound().deliver(DECLINED))).toEqual([]);
  });

  it('an unknown debit only with its void after it', () => {
    expect(resent(new TestRound().deliver(UNKNOWN, ACCEPTED))).toEqual(['debit 100', 'void']);
    const round = opened(WON, { followUpDebits: true, voidsWholeRound: true });
    round.do(collectWin('c'), ACCEPTED);
    round.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), UNKNOWN);
    expect(resent(round)).toEqual(['debit 100', 'credit 40']);
  });

  it('a voided round with its voids', () => {
    const round = opened(WON);
    round.do(VOID, ACCEPTED);
    expect(resent(round)).toEqual(['debit 100', 'void']);
  });

  it('what a crashed round owes', () => {
    expect(resent(crashed())).toEqual(['debit 100', 'credit 40', 'end']);
  });
});

describe('the operator’s answer to a reconciliation, mirrored', () => {
  const sent = transactionsToResend(snapshotOf(crashed().state));
  const all = sent.map(({ hash }) => ({ hash }));
  const read = (status: number, body: unknown): ReturnType<typeof readReconcileAnswer> =>
    readReconcileAnswer(sent, { kind: 'answer', status, body });

  it('200: accepted', () => {
    expect(read(200, { hashesProcessed: all })).toMatchObject({ kind: 'accepted', hashesProcessed: all });
    expect(read(200, {})).toMatchObject({ kind: 'accepted', hashesProcessed: all });
  });

  it('4xx: refused with the operator’s errorCode', () => {
    expect(read(400, { errorCode: OPERATOR_ERROR })).toMatchObject({
      kind: 'rejected',
      errorCode: OPERATOR_ERROR,
    });
  });

  it.each([
    [500, { errorCode: OPERATOR_ERROR }],
    [502, 'bad gateway'],
    [408, {}],
    [302, {}],
    [201, {}],
    [200, 'OK'],
    [200, []],
  ])('status %p, %j: unreachable', (status, body) => {
    expect(read(status, body)).toMatchObject({ kind: 'unreachable', hashesProcessed: [] });
  });

  it('silence: unreachable', () => {
    expect(readReconcileAnswer(sent, { kind: 'no-response', reason: 'time-out' }).kind).toBe('unreachable');
  });

  it('a 200 with an error is no acceptance', () => {
    expect(read(200, { errorCode: OPERATOR_ERROR }).kind).toBe('rejected');
    expect(read(200, { hashesProcessed: [{ ...all[1], errorCode: OPERATOR_ERROR }] }).kind).toBe('rejected');
  });

  it('hashes that were never sent are not mirrored', () => {
    const body = { hashesProcessed: [...all, { hash: 'not-ours' }, null, 'x'] };
    expect(read(200, body).hashesProcessed).toEqual(all);
  });
});

describe('whether an answer settles a crashed round', () => {
  it('all accepted: yes', () => {
    const snapshot = snapshotOf(crashed().state);
    const hashes = transactionsToResend(snapshot).map(({ hash }) => hash);
    const outcome = { kind: 'accepted' as const, hashesProcessed: [] };
    expect(settledBy(snapshot, outcome)).toEqual(hashes);
  });

  it('what is owed listed as processed: yes; some of it missing or failed: no', () => {
    const snapshot = snapshotOf(crashed().state);
    const [, credit, ended] = transactionsToResend(snapshot).map(({ hash }) => ({ hash }));
    const refusedWith = (...hashesProcessed: { hash: string }[]): string[] | undefined =>
      settledBy(snapshot, { kind: 'rejected', hashesProcessed });
    expect(refusedWith(credit!, ended!)).toEqual([credit!.hash, ended!.hash]);
    expect(refusedWith(credit!)).toBeUndefined();
    expect(refusedWith()).toBeUndefined();
    const failed = { ...credit!, errorCode: OPERATOR_ERROR };
    expect(settledBy(snapshot, { kind: 'rejected', hashesProcessed: [failed, ended!] })).toBeUndefined();
    expect(settledBy(snapshot, { kind: 'unreachable', hashesProcessed: [] })).toBeUndefined();
  });

  it('a debit whose outcome nobody knows is left: no', () => {
    const round = opened(WON, { followUpDebits: true, voidsWholeRound: true });
    round.do(collectWin('c'), ACCEPTED);
    round.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), UNKNOWN);
    expect(round.state.crashed).toBe(true);
    expect(settledBy(snapshotOf(round.state), { kind: 'accepted', hashesProcessed: [] })).toBeUndefined();
  });
});

describe('settling a crashed round', () => {
  it('what was accepted since counts', () => {
    const round = crashed();
    const owed = round.calls[1]!.map(({ hash }) => hash);
    round.do(settleCommand(owed));
    expect(round.state).toMatchObject({ status: 'closed', crashed: false, amountToCollect: 0 });
    expect(round.state.closedAt).toBeDefined();
    expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 40 });
    expect(round.state.gameState[0]?.collected).toBe(40);
    expect(marksOf(round.state)).toEqual([]);
    expect(round.shapes).toHaveLength(2);
  });

  it('what is declined never took effect', () => {
    const round = crashed();
    round.do(settleCommand([], hashesOf(round, 'pending')));
    expect(round.state).toMatchObject({ status: 'closed', amountToCollect: 0 });
    expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 0 });
    expect(round.state.gameState[0]?.collected).toBe(0);
  });

  it('is final: repeated harmlessly, and the round takes nothing more', () => {
    const round = crashed();
    round.do(settleCommand([], hashesOf(round, 'pending')));
    const before = round.state;
    expect(round.refusal(settleCommand(['x']))).toBe('GAMEROUNDNOTACTIVE');
    expect(round.refusal(end('other'))).toBe('GAMEROUNDNOTACTIVE');
    expect(round.refusal(addWin('w', 1))).toBe('GAMEROUNDNOTACTIVE');
    expect(round.state).toBe(before);
  });

  describe('a list that may give up money by mistake is refused, and says why', () => {
    /** A declined follow-up, and a win whose credit and end are owed. */
    function owing(): TestRound {
      const round = opened(WON, { followUpDebits: true });
      round.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), DECLINED);
      round.do(end(), rejected({ maybePaid: true }));
      expect(round.state.crashed).toBe(true);
      return round;
    }

    it.each<[string, (open: string[], all: string[]) => [string[], string[]], RegExp]>([
      [
        'a hash that is not the round’s is accepted',
        (open) => [[...open, 'x'], []],
        /^accepted: no transaction x$/,
      ],
      [
        'a hash that is not the round’s is declined',
        (open) => [open, ['x']],
        /^declined: no transaction x is pending or in doubt$/,
      ],
      [
        'what was accepted is declined',
        (open, [debit]) => [open, [debit!]],
        /^declined: no transaction .* is pending/,
      ],
      [
        'a bet that was declined is accepted',
        (open, [, declined]) => [[...open, declined!], []],
        /^accepted: .* was declined$/,
      ],
      ['one is in both', (open) => [open, [open[0]!]], /^declined: .* is accepted as well$/],
    ])('%s', (_what, listed, expected) => {
      const round = owing();
      const before = round.state;
      const [accepted, declined] = listed(hashesOf(round, 'pending'), hashesOf(round));
      expect(whyRefused(round, settleCommand(accepted, declined))).toMatch(expected);
      expect(round.state).toBe(before);
      round.do(settleCommand(hashesOf(round, 'pending', 'accepted')));
      expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 40 });
    });
  });

  describe('before all winnings are in a transaction', () => {
    /** 40 won, 10 paid, and a follow-up bet of 30 that nobody knows the outcome of: 30 are open. */
    function undecided(): TestRound {
      const round = opened(WON, { followUpDebits: true, voidsWholeRound: true });
      round.do(collectWin('c', 10), ACCEPTED);
      round.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), UNKNOWN);
      expect(round.state).toMatchObject({ crashed: true, amountToCollect: 30 });
      return round;
    }

    it('decides the others; these are owed from now on, and the end, and the round stays crashed', () => {
      const round = undecided();
      const command = settleCommand(hashesOf(round));
      round.do(command);
      expect(round.state).toMatchObject({ status: 'open', crashed: true, amountToCollect: 30, stake: 130 });
      expect(round.state.closedAt).toBeUndefined();
      expect(marksOf(round.state)).toEqual(['crashed']);
      expect(resent(round)).toEqual(['debit 100', 'credit 10', 'debit 30', 'credit 30', 'end']);
      expect(round.reply(command)).toMatchObject({ refusal: { errorCode: { msg: 'GAMEROUNDCRASHED' } } });
    });

    it('the end alone is owed where all winnings have been paid: the operator’s round has to end', () => {
      const round = opened(WON, { followUpDebits: true, voidsWholeRound: true });
      round.do(collectWin('c', 40), ACCEPTED);
      round.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), UNKNOWN);
      round.do(settleCommand(hashesOf(round)));
      expect(resent(round)).toEqual(['debit 100', 'credit 40', 'debit 30', 'end']);
      round.do(settleCommand(hashesOf(round, 'pending'), [], 'reconcile'));
      expect(round.state).toMatchObject({ status: 'closed', amountToCollect: 0 });
    });

    it.each([
      ['taken', true, 130],
      ['not taken, and no longer in doubt', false, 100],
    ])('a reconciliation then pays them and closes; the bet was %s', (_what, isTaken, totalBetAmount) => {
      const round = undecided();
      const [first, credit, followUp] = hashesOf(round);
      round.do(settleCommand([first!, credit!, ...(isTaken ? [followUp!] : [])], isTaken ? [] : [followUp!]));
      expect(round.refusal(GENTLE)).toBe('GAMEROUNDCRASHED');
      const accepted = settledBy(snapshotOf(round.state), { kind: 'accepted', hashesProcessed: [] });
      round.do(settleCommand(accepted!, [], 'reconcile'));
      expect(round.state).toMatchObject({ status: 'closed', crashed: false, amountToCollect: 0 });
      expect(round.state).toMatchObject({ stake: totalBetAmount, settled: { key: 'settle-1' } });
      expect(totals(round.state)).toEqual({ totalBetAmount, totalWinAmount: 40 });
    });

    it.each([
      ['paid by other means', true, 40],
      ['given up on purpose', false, 10],
    ])('or a person settles them as well, under a key of its own: %s', (_what, isPaid, won) => {
      const round = undecided();
      round.do(settleCommand(hashesOf(round)));
      const owed = hashesOf(round, 'pending');
      round.do(settleCommand(isPaid ? owed : [], isPaid ? [] : owed, 'settle-2'));
      expect(round.state).toMatchObject({
        status: 'closed',
        amountToCollect: 0,
        settled: { key: 'settle-2' },
      });
      expect(totals(round.state)).toMatchObject({ totalWinAmount: won });
      expect(round.transactions('credit')).toHaveLength(2);
    });

    it('what is in neither list is left as it is, and the round stays crashed until all of it is decided', () => {
      const round = crashed();
      const [credit, ended] = hashesOf(round, 'pending');
      round.do(settleCommand([]));
      expect(hashesOf(round, 'pending')).toEqual([credit, ended]);
      round.do(settleCommand([], [ended!], 'settle-2'));
      expect(round.state).toMatchObject({ status: 'open', crashed: true, amountToCollect: 40 });
      round.do(settleCommand([credit!], [], 'settle-3'));
      expect(round.state).toMatchObject({ status: 'closed', settled: { key: 'settle-3' } });
      expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 40 });
    });

    it('an end that was declined does not keep a reconciliation from ending the round', () => {
      const round = crashed();
      round.do(settleCommand([], hashesOf(round, 'pending').slice(-1)));
      expect(resent(round)).toEqual(['debit 100', 'credit 40']);
      round.send(GENTLE);
      expect(resent(round)).toEqual(['debit 100', 'credit 40', 'end']);
    });

    it('the bet in doubt alone may be decided: all else is the reconciliation’s', () => {
      const round = undecided();
      const [, , followUp] = hashesOf(round);
      round.do(settleCommand([], [followUp!]));
      const accepted = settledBy(snapshotOf(round.state), { kind: 'accepted', hashesProcessed: [] });
      round.do(settleCommand(accepted!, [], 'reconcile'));
      expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 40 });
    });

    it('a list from before they were owed does not give them up', () => {
      const round = undecided();
      const list = hashesOf(round);
      round.do(settleCommand(list));
      round.do(settleCommand(list, [], 'settle-2'));
      expect(round.state.crashed).toBe(true);
      expect(resent(round)).toEqual(['debit 100', 'credit 10', 'debit 30', 'credit 30', 'end']);
    });

    it('what was given up is not owed again', () => {
      const round = opened(WON);
      round.do(collectWin('c-1', 10), ACCEPTED);
      round.do(collectWin('c-2', 5), rejected());
      round.do(settleCommand([], hashesOf(round, 'pending')));
      expect(round.state.amountToCollect).toBe(25);
      expect(resent(round)).toEqual(['debit 100', 'credit 10', 'credit 25', 'end']);
      round.do(settleCommand(hashesOf(round, 'pending'), [], 'settle-2'));
      expect(totals(round.state)).toEqual({ totalBetAmount: 100, totalWinAmount: 35 });
    });

    it('once more under the same key changes nothing, and with other lists it is refused', () => {
      const round = undecided();
      const list = hashesOf(round);
      round.do(settleCommand(list));
      const before = round.state;
      expect(round.send(settleCommand([...list, ...list].reverse())).kind).toBe('join');
      expect(round.refusal(settleCommand(list.slice(1)))).toBe('IDEMPOTENCYMISMATCH');
      expect(round.state).toBe(before);
    });

    it('what a person writes stays in the house: the operator is not told of it', () => {
      const round = undecided();
      round.do(settleCommand(hashesOf(round)));
      expect(round.state.transactions.slice(-2).map(({ reason }) => reason)).toEqual(['settle', 'settle']);
    });
  });

  it('tells who did it and why, also in the record', () => {
    const round = crashed();
    round.do(settleCommand(hashesOf(round, 'pending')));
    const { settled, closedAt } = snapshotOf(round.state);
    expect(settled).toEqual({ key: 'settle-1', reason: 'as the books say', at: closedAt });
  });

  it.each([
    ['open', opened(WON), 'GAMEROUNDOPEN'],
    ['voided', opened(WON).deliver(), 'GAMEROUNDNOTACTIVE'],
  ])('a round that is %s and not crashed can’t be settled', (kind, round, error) => {
    if (kind === 'voided') round.do(VOID, ACCEPTED);
    const before = round.state;
    expect(round.refusal(settleCommand([]))).toBe(error);
    expect(round.state).toBe(before);
  });
});

describe('a void is confirmed', () => {
  const voided = opened();
  voided.do(VOID, ACCEPTED);
  const snapshot = snapshotOf(voided.state);
  const hash = snapshot.transactions[0]!.hash;
  const ok = { hash };
  const failed = { hash, errorCode: OPERATOR_ERROR };

  it.each([
    ['by a reply that accepts everything', 'accepted', [], true],
    ['if its debit is refused and it is not', 'rejected', [failed, ok], true],
    ['not if it is refused itself', 'rejected', [ok, failed], false],
    ['not if only one of the two is listed', 'rejected', [ok], false],
    ['not if nothing is listed', 'rejected', [], false],
    ['not without a reply', 'unreachable', [], false],
    ['not if nothing was sent', 'nothing', [], false],
  ] as const)('%s', (_, kind, hashesProcessed, isConfirmed) => {
    expect(confirmsVoids(snapshot, { kind, hashesProcessed: [...hashesProcessed] })).toBe(isConfirmed);
  });
});
