import { marksOf } from '../../src/domain/round/marks';
import { resume } from '../../src/domain/round/apply-wallet-outcome';
import { totals } from '../../src/domain/round/replies';
import {
  ACCEPTED,
  addWin,
  collectWin,
  deepFreeze,
  end,
  opened,
  openedForFollowUps,
  rejected,
  retryable,
  start,
  TestRound,
  UNCONFIRMED,
  UNKNOWN,
  VOID,
} from './support';

const WON = start({ winAmount: 40 });
const PARKED = rejected({ unauthorised: true });

describe('voidGameRound cancels the round by a void', () => {
  it('sends [void] with the hash of the debit it takes back, and is answered when it is done', () => {
    const round = opened(WON);
    round.send(VOID);
    expect(round.state.commands.void?.answer).toBeUndefined();
    expect(round.shapes).toEqual([['debit 100'], ['void']]);
    expect(round.calls[1]?.[0]?.hash).toBe(round.calls[0]?.[0]?.hash);
    expect(round.calls[1]?.[0]).not.toHaveProperty('amount');
    round.deliver(ACCEPTED);
    const reply = round.reply(VOID);
    expect(reply).toMatchObject({
      amountToCollect: 0,
      amountCredited: 0,
      gameRoundInfo: { status: 'cancel' },
    });
    expect(reply.refusal).toBeUndefined();
    expect(totals(round.state)).toEqual({ totalBetAmount: 0, totalWinAmount: 0 });
  });

  it('one void for each debit, the initial first, answered after the last', () => {
    const round = openedForFollowUps();
    round.do(start({ rngCallId: 'rng-2' }), ACCEPTED);
    round.do(start({ rngCallId: 'rng-3' }), ACCEPTED);
    round.send(VOID);
    round.deliver(ACCEPTED, ACCEPTED);
    expect(round.state.commands.void?.answer).toBeUndefined();
    round.deliver(ACCEPTED);
    expect(round.reply(VOID)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
    const debits = round.transactions('debit').map(({ hash }) => hash);
    expect(round.calls.slice(3).map((call) => call.map(({ hash }) => hash))).toEqual(
      debits.map((hash) => [hash]),
    );
  });

  it('three times: one effective void, then GAMEROUNDNOTACTIVE', () => {
    const round = opened(WON);
    round.do(VOID, ACCEPTED);
    expect(round.refusal(VOID)).toBe('GAMEROUNDNOTACTIVE');
    expect(round.refusal(VOID)).toBe('GAMEROUNDNOTACTIVE');
    expect(round.transactions('void')).toHaveLength(1);
  });

  it('a repeat while it is on its way joins it', () => {
    const round = opened(WON);
    round.send(VOID);
    round.deliver(retryable());
    expect(round.send(VOID)).toEqual({ kind: 'join', key: 'void' });
    expect(round.shapes).toHaveLength(2);
  });

  it.each([addWin('w', 5), end(), collectWin('c', 1), start()])('then %j → GAMEROUNDNOTACTIVE', (command) => {
    const round = opened(WON);
    round.send(VOID);
    expect(round.refusal(command)).toBe('GAMEROUNDNOTACTIVE');
    round.deliver(ACCEPTED);
    expect(round.refusal(command)).toBe('GAMEROUNDNOTACTIVE');
    expect(round.shapes).toHaveLength(2);
  });

  it('refused once a credit was processed, also a part of the winnings', () => {
    const round = opened(WON);
    round.do(collectWin('c', 1), ACCEPTED);
    expect(round.refusal(VOID)).toBe('CREDITALREADYPROCESSED');
    expect(round.state.status).toBe('open');
    expect(round.shapes).toHaveLength(2);
  });

  it('refused where a credit may have been paid', () => {
    const round = opened(WON).replace({ maybePaid: true });
    expect(round.refusal(VOID)).toBe('CREDITALREADYPROCESSED');
    expect(round.shapes).toHaveLength(1);
  });

  it('wins that were only added don’t stand in its way', () => {
    const round = opened(WON);
    round.do(addWin('w', 5));
    expect(round.do(VOID, ACCEPTED)).toMatchObject({
      amountToCollect: 0,
      gameRoundInfo: { status: 'cancel' },
    });
  });
});

describe('a void is retried until it is answered', () => {
  it('always the same one', () => {
    const round = opened(WON);
    round.send(VOID);
    const first = round.state.pending?.transactions;
    round.deliver(retryable(), retryable(), retryable());
    expect(round.state.pending?.transactions).toEqual(first);
    expect(round.state.status).toBe('cancel');
    expect(marksOf(round.state)).toEqual(['void-pending']);
    round.deliver(ACCEPTED);
    expect(marksOf(round.state)).toEqual([]);
    expect(round.transactions('void')).toHaveLength(1);
  });

  it('a 400 to its very first delivery sets void-unconfirmed, and it stays', () => {
    const round = opened(WON);
    round.do(VOID, UNCONFIRMED);
    expect(marksOf(round.state)).toEqual(['void-unconfirmed']);
    expect(round.state.status).toBe('cancel');
  });

  it('a later confirmed void doesn’t wipe out the mark of an earlier one', () => {
    const round = openedForFollowUps();
    round.do(start({ rngCallId: 'rng-2' }), ACCEPTED);
    round.do(VOID, UNCONFIRMED, ACCEPTED);
    expect(marksOf(round.state)).toEqual(['void-unconfirmed']);
  });

  it('a refused void stops (void-refused), sends nothing, and a person resumes the same void', () => {
    const round = opened(WON);
    round.send(VOID);
    round.deliver(PARKED);
    expect(round.state.pending?.progress).toBe('awaiting-operator');
    expect(round.state.status).toBe('cancel');
    expect(marksOf(round.state)).toEqual(['void-refused']);
    expect(round.state.commands.void?.answer).toBeUndefined();
    const before = round.state.pending?.transactions;

    const resumed = deepFreeze(resume(round.state));
    expect(resumed.pending?.progress).toBe('retrying');
    expect(resumed.pending?.transactions).toEqual(before);
    expect(marksOf(resumed)).toEqual(['void-pending']);
    round.replace(resumed).deliver(ACCEPTED);
    expect(round.reply(VOID)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
    expect(marksOf(round.state)).toEqual([]);
  });

  it('resuming a round whose void is not stopped changes nothing', () => {
    const idle = opened(WON).state;
    expect(resume(idle)).toBe(idle);
    const retrying = new TestRound().deliver(UNKNOWN, retryable()).state;
    expect(resume(retrying)).toEqual(retrying);
  });

  it.each([
    ['refused', PARKED],
    ['never answered', retryable()],
  ])('%s: a person who says that the bet was given back ends the waiting', (_, outcome) => {
    const round = openedForFollowUps();
    round.do(start({ rngCallId: 'rng-2' }), ACCEPTED);
    round.send(VOID);
    round.deliver(outcome);
    const debits = round.transactions('debit').map(({ hash }) => hash);
    const settled = (accepted: string[], declined: string[], key: string) =>
      ({ type: 'settle', key, reason: 'given back by hand', accepted, declined }) as const;
    for (const [accepted, declined] of [
      [[], []],
      [[], [debits[0]!]],
      [[debits[1]!], []],
      [debits, []],
    ] as const) {
      expect(round.refusal(settled([...accepted], [...declined], 'wrong'))).toBe('INVALIDREQUEST');
    }
    round.do(settled([debits[0]!], [], 's-1'));
    expect(round.transactions('void')).toMatchObject([{ outcome: 'accepted' }, { outcome: 'pending' }]);
    round.deliver(outcome);
    round.do(settled([debits[1]!], [], 's-2'));
    expect(round.state).toMatchObject({ status: 'cancel', pending: undefined });
    expect(marksOf(round.state)).toEqual([]);
    expect(round.reply(VOID)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
  });

  it('a stopped void of a follow-up keeps credits back', () => {
    const round = opened(WON, { followUpDebits: true });
    round.do(start({ rngCallId: 'rng-2' }), UNKNOWN, PARKED);
    expect(round.refusal(end())).toBe('OPERATIONBEINGPROCESSED');
    expect(marksOf(round.state)).toEqual(['void-refused']);
  });
});

describe('attention marks, the most urgent first', () => {
  it('crashed, then void-refused, credit-pending, void-pending, auto-close-failing, void-unconfirmed', () => {
    const round = opened(WON, { followUpDebits: true }).replace({
      keptMarks: ['projection-pending', 'void-unconfirmed', 'auto-close-failing'],
    });
    round.send(end());
    round.deliver(retryable());
    expect(marksOf(round.state)).toEqual([
      'credit-pending',
      'auto-close-failing',
      'void-unconfirmed',
      'projection-pending',
    ]);
    round.deliver(rejected({ maybePaid: true }));
    expect(marksOf(round.state)[0]).toBe('crashed');
  });

  it('nothing to see in a round that goes well', () => {
    const round = opened(WON);
    round.do(addWin('w', 5));
    round.do(end(), ACCEPTED);
    expect(marksOf(round.state)).toEqual([]);
  });
});
