import { amountAtRisk } from '../../src/domain/round/marks';
import {
  ACCEPTED,
  addWin,
  collectWin,
  end,
  opened,
  settings,
  rejected,
  retryable,
  start,
  TestRound,
  ticketStart,
  UNCONFIRMED,
  UNKNOWN,
  VOID,
} from './support';

/* The money of a marked round whose fate is not certain, in minor units: what a person sorts out first. */

describe('the amount at risk', () => {
  it('of a win that is being retried: the win', () => {
    const round = opened();
    round.do(addWin('w', 700));
    round.send(end());
    expect(amountAtRisk(round.deliver(retryable()).state)).toBe(700);
  });

  it('of a part that is collected: also the open winnings that are in no call yet', () => {
    const round = opened();
    round.do(addWin('w', 700));
    round.send(collectWin('c', 200));
    expect(amountAtRisk(round.deliver(retryable()).state)).toBe(700);
  });

  it('of a crashed round: what is owed', () => {
    const round = opened();
    round.do(addWin('w', 700));
    round.send(end());
    expect(amountAtRisk(round.deliver(retryable({ maybePaid: true }), rejected()).state)).toBe(700);
  });

  it('of a bet in doubt that is voided: the bet, once', () => {
    const round = new TestRound(start({ stake: 250 }));
    expect(amountAtRisk(round.deliver(UNKNOWN).state)).toBe(250);
    expect(amountAtRisk(round.deliver(ACCEPTED).state)).toBe(0);
  });

  it('of a bet that a free play pays: its stake', () => {
    const round = new TestRound(ticketStart());
    expect(amountAtRisk(round.deliver(UNKNOWN).state)).toBe(20);
  });

  it('of a bet that is given back, of which nothing says that it arrived: the bet', () => {
    const round = opened(start({ stake: 250 }));
    round.send(VOID);
    expect(amountAtRisk(round.deliver(UNCONFIRMED).state)).toBe(250);
  });

  it('of several bets: those whose voids are still to come count, too', () => {
    const round = new TestRound(start({ stake: 250 }), settings({ followUpDebits: true })).deliver(ACCEPTED);
    round.do(start({ stake: 100, rngCallId: 'rng-2' }), ACCEPTED);
    round.send(VOID);
    expect(amountAtRisk(round.deliver(retryable()).state)).toBe(350);
    expect(amountAtRisk(round.deliver(ACCEPTED).state)).toBe(100);
  });

  it('of a closed round: nothing', () => {
    const round = opened();
    round.do(addWin('w', 700));
    round.do(end(), ACCEPTED);
    expect(amountAtRisk(round.state)).toBe(0);
  });
});

describe('what the wallet last answered', () => {
  it('stays with the call while it is retried; a delivery that was not sent does not replace it', () => {
    const round = opened();
    round.do(addWin('w', 700));
    round.send(end());
    expect(round.deliver(retryable()).state.pending?.lastAnswer).toBe('status 500');
    const unsent = { ...retryable(), reason: 'not sent: too many calls', notSent: true } as const;
    expect(round.deliver(unsent).state.pending?.lastAnswer).toBe('status 500');
    const wrong = round.deliver(rejected({ unauthorised: true }));
    expect(wrong.state.pending?.lastAnswer).toBe('error 77 LIMITREACHED');
  });
});
