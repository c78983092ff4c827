import { marksOf } from '../../src/domain/round/marks';
import { resume } from '../../src/domain/round/apply-wallet-outcome';
import {
  ACCEPTED,
  addWin,
  collectWin,
  end,
  END_REJECTED,
  opened,
  OPERATOR_ERROR,
  rejected,
  retryable,
  spins,
  start,
  type TestRound,
  VOID,
} from './support';

const WON = start({ winAmount: 40 });
const MAYBE = { maybePaid: true };

describe('a credit is retried until it succeeds, always the same hash and amount', () => {
  it('five times no answer, one credit', () => {
    const round = opened(WON);
    round.send(end());
    const first = round.state.pending?.transactions;
    for (let n = 0; n < 5; n += 1) {
      round.deliver(retryable(MAYBE));
      expect(round.state.pending?.transactions).toEqual(first);
    }
    round.deliver(ACCEPTED);
    expect(round.reply(end())).toMatchObject({ amountCredited: 40, gameRoundInfo: { status: 'closed' } });
    expect(round.transactions('credit')).toHaveLength(1);
    expect(round.state.pending).toBeUndefined();
  });

  it('the same command joins it', () => {
    const round = opened(WON);
    round.send(end());
    round.deliver(retryable(MAYBE));
    expect(round.send(end())).toMatchObject({ kind: 'join' });
    expect(round.send(end())).toMatchObject({ kind: 'join' });
    expect(round.shapes).toHaveLength(2);
  });

  it('attention credit-pending while it is retried, not before and not after', () => {
    const round = opened(WON);
    round.send(end());
    expect(marksOf(round.state)).toEqual([]);
    round.deliver(retryable(MAYBE));
    expect(marksOf(round.state)).toEqual(['credit-pending']);
    round.deliver(ACCEPTED);
    expect(marksOf(round.state)).toEqual([]);
  });
});

describe('a credit refused for good: the debits are voided, the round is cancel', () => {
  it.each([end(), addWin('w', 5, { collect: true }), collectWin('c', 10)])('%j', (command) => {
    const round = opened(WON);
    const reply = round.do(command, rejected());
    expect(reply).toMatchObject({
      amountCredited: 0,
      amountToCollect: 0,
      refusal: { status: 400, errorCode: OPERATOR_ERROR },
      gameRoundInfo: { status: 'cancel' },
    });
    expect(round.shapes.at(-1)).toEqual(['void']);
    expect(round.calls.at(-1)?.[0]?.hash).toBe(round.calls[0]?.[0]?.hash);
    expect(round.state.crashed).toBe(false);
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'declined' }]);
  });

  it('voids every debit, the initial first', () => {
    const round = opened(WON, { followUpDebits: true });
    round.do(start({ rngCallId: 'rng-2' }), ACCEPTED);
    round.do(end(), rejected(), ACCEPTED, ACCEPTED);
    const debits = round.transactions('debit').map(({ hash }) => hash);
    expect(round.transactions('void').map(({ hash }) => hash)).toEqual(debits);
    expect(round.state).toMatchObject({ status: 'cancel', pending: undefined });
  });

  it('after 425s and 429s, which are definite: still voided', () => {
    const round = opened(WON);
    round.send(end());
    round.deliver(retryable(), retryable(), rejected());
    expect(round.state.status).toBe('cancel');
    expect(round.shapes.at(-1)).toEqual(['void']);
  });

  it('without an errorCode of its own the provider gets one of ours, never a 200', () => {
    const round = opened(WON);
    const { refusal } = round.do(end(), rejected({ errorCode: undefined }));
    expect(refusal?.status).toBeGreaterThanOrEqual(400);
    expect(refusal?.errorCode.id).toBeGreaterThan(0);
  });
});

/** Crashed: nothing voided, nothing more sent, the status stays open and what is owed stays on record. */
function expectCrashed(round: TestRound, sent: string[][]): void {
  expect(round.state).toMatchObject({ crashed: true, status: 'open' });
  expect(round.state.closedAt).toBeUndefined();
  expect(round.state.pending).toBeUndefined();
  expect(round.state.voidsToCome).toEqual([]);
  expect(round.shapes).toEqual(sent);
  expect(marksOf(round.state)).toEqual(['crashed']);
}

describe('a round is crashed instead of voided', () => {
  it('refused after an earlier credit succeeded: nothing is voided, the round is reconciled', () => {
    const round = opened(WON);
    round.do(collectWin('c', 10), ACCEPTED);
    const reply = round.do(end(), rejected());
    expectCrashed(round, [['debit 100'], ['credit 10'], ['credit 30', 'end']]);
    expect(reply).toMatchObject({
      refusal: { status: 400, errorCode: OPERATOR_ERROR },
      gameRoundInfo: { status: 'open' },
      amountToCollect: 30,
    });
    expect(round.transactions('credit').map(({ outcome }) => outcome)).toEqual(['accepted', 'pending']);
  });

  it('refused after a delivery of it without a definite answer', () => {
    const round = opened(WON);
    round.do(end(), retryable(MAYBE), rejected());
    expectCrashed(round, [['debit 100'], ['credit 40', 'end']]);
  });

  it('refused by the very delivery that says that it may have been paid (a worker died)', () => {
    const round = opened(WON);
    round.do(end(), rejected(MAYBE));
    expectCrashed(round, [['debit 100'], ['credit 40', 'end']]);
  });

  it('refused after an earlier credit that took two tries', () => {
    const round = opened(WON);
    round.do(collectWin('c', 10), retryable(MAYBE), ACCEPTED);
    round.do(end(), rejected());
    expectCrashed(round, [['debit 100'], ['credit 10'], ['credit 30', 'end']]);
  });

  it('refused although the same call’s credit went through', () => {
    const round = opened(WON);
    round.do(end(), rejected({ creditAccepted: true }));
    expectCrashed(round, [['debit 100'], ['credit 40', 'end']]);
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'accepted' }]);
    expect(round.state.amountToCollect).toBe(0);
  });

  it('a refused end alone never voids', () => {
    const round = opened();
    const reply = round.do(end(), END_REJECTED);
    expectCrashed(round, [['debit 100'], ['end']]);
    expect(reply.refusal).toEqual({ status: 400, errorCode: OPERATOR_ERROR });
  });

  it('the credit accepted, its end refused: the credit counts', () => {
    const round = opened(WON);
    round.do(end(), END_REJECTED);
    expectCrashed(round, [['debit 100'], ['credit 40', 'end']]);
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'accepted' }]);
    expect(round.transactions('end')).not.toMatchObject([{ outcome: 'accepted' }]);
    expect(round.state.amountToCollect).toBe(0);
  });

  it.each([
    start(),
    start({ rngCallId: 'rng-2' }),
    addWin('w', 5),
    end(),
    end('other'),
    collectWin('c', 1),
    VOID,
    spins('s', 'free', 3, 0),
  ])('crashed: %j → GAMEROUNDCRASHED', (command) => {
    const round = opened(WON, { followUpDebits: true });
    round.do(end(), rejected(MAYBE));
    expect(round.refusal(command)).toBe('GAMEROUNDCRASHED');
    expect(round.shapes).toHaveLength(2);
  });
});

describe('401 or 1001 to a credit or end: not retried by itself, not voided, not crashed', () => {
  const UNAUTHORISED = rejected({ unauthorised: true, signedWith: 'old' });
  const GENTLE = { ...end('reconcile'), forReconciliation: true };

  it.each([end(), collectWin('c', 10), GENTLE])('%j: waits to be resumed, and is paid once', (command) => {
    const round = opened(WON);
    round.send(command);
    const sent = round.state.pending?.transactions;
    for (const _ of ['first', 'resumed, and still refused']) {
      round.deliver(UNAUTHORISED);
      expect(round.state).toMatchObject({ status: 'open', crashed: false });
      expect(round.state.pending).toMatchObject({ progress: 'awaiting-operator', rejectedSecrets: 'old' });
      expect(marksOf(round.state)).toEqual(['credit-unauthorised']);
      expect(round.refusal(addWin('w', 5))).toBe('OPERATIONBEINGPROCESSED');
      round.replace(resume(round.state));
      expect(marksOf(round.state)).toEqual(['credit-pending']);
    }
    expect(round.state.pending?.transactions).toEqual(sent);
    round.deliver(ACCEPTED);
    expect(round.reply(command).refusal).toBeUndefined();
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'accepted' }]);
    expect(round.transactions('void')).toEqual([]);
  });

  it('to an end alone', () => {
    const round = opened();
    round.send(end());
    round.deliver(UNAUTHORISED);
    expect(marksOf(round.state)).toEqual(['credit-unauthorised']);
    round.replace(resume(round.state)).deliver(ACCEPTED);
    expect(round.state.status).toBe('closed');
  });
});

describe('a person’s settle ends the waiting for a wallet', () => {
  const waitings = [
    ['that never answers', retryable(MAYBE)],
    ['that does not accept our signature', rejected({ unauthorised: true })],
  ] as const;
  const settled = (accepted: string[], declined: string[] = [], key = 's-1') =>
    ({ type: 'settle', key, reason: 'the operator is gone', accepted, declined }) as const;

  it.each(waitings)(
    '%s: the credit is left owed, the round is crashed, and the player plays on',
    (_, outcome) => {
      const round = opened(WON);
      round.send(end());
      round.deliver(outcome);
      round.do(settled([]));
      expectCrashed(round, [['debit 100'], ['credit 40', 'end']]);
      expect(round.reply(end()).refusal?.errorCode.msg).toBe('GAMEROUNDCRASHED');
      expect(round.transactions('credit')).toMatchObject([{ outcome: 'pending' }]);
    },
  );

  it.each(waitings)('%s: or it is decided', (_, outcome) => {
    const round = opened(WON);
    round.send(end());
    round.deliver(outcome);
    round.do(settled(round.calls[1]!.map(({ hash }) => hash)));
    expect(round.state).toMatchObject({ status: 'closed', crashed: false, pending: undefined });
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'accepted' }]);
  });

  it('a faulty one changes nothing: the credit is sent on', () => {
    const round = opened(WON);
    round.send(end());
    round.deliver(retryable());
    const before = round.state;
    expect(round.refusal(settled(['x']))).toBe('INVALIDREQUEST');
    expect(round.state).toBe(before);
  });

  it('a reconciliation’s own word does not', () => {
    const round = opened(WON);
    round.send(end());
    round.deliver(retryable());
    expect(round.refusal(settled([], [], 'reconcile'))).toBe('GAMEROUNDOPEN');
  });
});

describe('the credit of a call was accepted before the call as a whole', () => {
  it('it is paid at once, and not voided when the end is refused later', () => {
    const round = opened(WON);
    round.send(end());
    round.deliver(retryable({ creditAccepted: true }));
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'accepted' }]);
    expect(round.state).toMatchObject({ status: 'open', amountToCollect: 0 });
    expect(round.state.gameState[0]?.collected).toBe(40);
    round.deliver(rejected());
    expect(round.state).toMatchObject({ crashed: true, status: 'open' });
    expect(round.transactions('void')).toEqual([]);
  });

  it('then accepted whole: closed, and amountCredited tells of it', () => {
    const round = opened(WON);
    round.do(end(), retryable({ creditAccepted: true }), ACCEPTED);
    expect(round.reply(end())).toMatchObject({ amountCredited: 40, gameRoundInfo: { status: 'closed' } });
    expect(round.transactions('credit')).toHaveLength(1);
  });
});
