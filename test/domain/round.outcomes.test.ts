import { applyWalletOutcome, creditMaybeSent } from '../../src/domain/round/apply-wallet-outcome';
import {
  ACCEPTED,
  addWin,
  DECLINED,
  end,
  LATER,
  OPERATOR_ERROR,
  rejected,
  retryable,
  start,
  TestRound,
  UNKNOWN,
  VOID,
} from './support';

/* What an outcome leaves with the transactions of its call: outcome, balance, the wallet's error, and the reason of a void. */

const told = (round: TestRound): string[] =>
  round.state.transactions.map(({ type, outcome, balanceAfter }) =>
    [type, outcome, ...(balanceAfter === undefined ? [] : [balanceAfter])].join(' '),
  );
const reasonsOfVoids = (round: TestRound): (string | undefined)[] =>
  round.transactions('void').map(({ reason }) => reason);

describe('each transaction of a call has its outcome, and the balance of the reply', () => {
  test('a bet with an end', () => {
    const spin = new TestRound(start({ endGame: true }));
    expect(told(spin.deliver(ACCEPTED))).toEqual(['debit accepted 900', 'end accepted 900']);
  });

  test('a bet, and the credit with the end that follows', () => {
    const spin = new TestRound(start({ endGame: true, winAmount: 40 })).deliver(ACCEPTED);
    expect(told(spin)).toEqual(['debit accepted 900', 'credit pending', 'end pending']);
    expect(spin.transactions('credit')).toMatchObject([{ amount: 40, reason: 'startGameRound' }]);
    expect(told(spin.deliver({ kind: 'accepted' }))).toEqual([
      'debit accepted 900',
      'credit accepted',
      'end accepted',
    ]);
  });

  test('a void', () => {
    const round = new TestRound().deliver({ kind: 'accepted' });
    round.send(VOID);
    expect(told(round.deliver(ACCEPTED))).toEqual(['debit accepted', 'void accepted 900']);
  });

  test('a declined bet with an end: neither had an effect, and the error stays with the bet only', () => {
    const spin = new TestRound(start({ endGame: true })).deliver(DECLINED);
    expect(told(spin)).toEqual(['debit declined', 'end declined']);
    expect(spin.state.transactions.map(({ errorCode }) => errorCode)).toEqual([OPERATOR_ERROR, undefined]);
  });

  test('a follow-up bet that is declined: the earlier one has no error', () => {
    const round = new TestRound(start(), { followUpDebits: true }).deliver(ACCEPTED);
    round.send(start({ rngCallId: 'rng-2' }));
    round.deliver(DECLINED);
    expect(round.state.transactions.map(({ errorCode }) => errorCode)).toEqual([undefined, OPERATOR_ERROR]);
  });

  test('a credit with an end that is refused: neither had an effect', () => {
    const spin = new TestRound(start({ endGame: true, winAmount: 40 })).deliver(
      { kind: 'accepted' },
      rejected(),
    );
    expect(told(spin)).toEqual(['debit accepted', 'credit declined', 'end declined', 'void pending']);
  });
});

describe('a void says why', () => {
  test('a bet whose outcome is unknown', () => {
    expect(reasonsOfVoids(new TestRound().deliver(UNKNOWN))).toEqual(['debit outcome unknown']);
  });

  test('a follow-up bet whose outcome is unknown', () => {
    const round = new TestRound(start(), { followUpDebits: true }).deliver(ACCEPTED);
    round.send(start({ rngCallId: 'rng-2' }));
    expect(reasonsOfVoids(round.deliver(UNKNOWN))).toEqual(['debit outcome unknown']);
  });

  test('a credit that is refused', () => {
    const round = new TestRound(start({ winAmount: 40 })).deliver(ACCEPTED);
    round.send(end());
    expect(reasonsOfVoids(round.deliver(rejected()))).toEqual(['credit refused']);
  });
});

test('an unknown follow-up bet of an operator that voids whole rounds is answered with what went wrong', () => {
  const round = new TestRound(start(), { followUpDebits: true, voidsWholeRound: true }).deliver(ACCEPTED);
  const followUp = start({ rngCallId: 'rng-2' });
  round.send(followUp);
  expect(round.deliver(UNKNOWN).reply(followUp).refusal?.errorCode.msg).toBe('WALLETUNAVAILABLE');
});

test('the operator’s error without a text for the player gets one', () => {
  const silent = { ...DECLINED, errorCode: { ...OPERATOR_ERROR, clientmsg: '' } };
  const texts = [DECLINED, silent].map(
    (outcome) => new TestRound().deliver(outcome).reply(start()).refusal?.errorCode.clientmsg,
  );
  expect(texts).toEqual([OPERATOR_ERROR.clientmsg, 'The bet was declined.']);
});

test('a call that waits for its operator says what the wallet answered last', () => {
  const answers = [
    rejected({ unauthorised: true }),
    rejected({ unauthorised: true, errorCode: undefined }),
  ].map((outcome) => {
    const round = new TestRound(start({ winAmount: 40 })).deliver(ACCEPTED);
    round.send(end());
    return round.deliver(outcome).state.pending?.lastAnswer;
  });
  expect(answers).toEqual(['error 77 LIMITREACHED', 'status 401']);
});

test.each([
  ['a debit', new TestRound(), retryable()],
  ['a debit', new TestRound(), rejected()],
  ['a credit', winning(), UNKNOWN],
  ['a credit', winning(), DECLINED],
  ['no call', new TestRound().deliver(ACCEPTED), ACCEPTED],
])('%s has no outcome of another kind', (_, round, outcome) => {
  expect(() => applyWalletOutcome(round.state, outcome, LATER)).toThrow(TypeError);
});

function winning(): TestRound {
  const round = new TestRound(start()).deliver(ACCEPTED);
  round.send(addWin('win', 40, { collect: true }));
  return round;
}

describe('a bet whose credit may have been sent, since a person has completed the activity that sends both', () => {
  const lost = (): TestRound => {
    const round = new TestRound(start({ endGame: true, winAmount: 40 }));
    return round.replace(creditMaybeSent(round.state));
  };

  test.each([
    ['unknown', UNKNOWN],
    ['declined', DECLINED],
  ])('is not voided if it is %s: the round is crashed', (_, outcome) => {
    expect(lost().deliver(outcome).state).toMatchObject({ status: 'open', crashed: true });
  });

  test('is not voided if it is accepted and the credit is refused then', () => {
    const round = lost().deliver(ACCEPTED, rejected());
    expect(round.state).toMatchObject({ status: 'open', crashed: true });
    expect(round.transactions('void')).toEqual([]);
  });
});
