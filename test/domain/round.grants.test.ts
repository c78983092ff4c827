import { currentDiscount } from '../../src/domain/discounts';
import { freePlaysAvailable } from '../../src/domain/free-plays';
import { freePlayInfo } from '../../src/domain/round/replies';
import type { StartCommand } from '../../src/domain/round/types';
import type { WalletBalance } from '../../src/domain/wallet-call';
import {
  ACCEPTED,
  AT,
  BALANCE,
  DECLINED,
  addWin,
  collectWin,
  rejected,
  start,
  TestRound,
  ticketStart,
  throughJson,
  UNKNOWN,
  VOID,
} from './support';

/* The reply to a bet with a ticket has the new freePlayInfo and freePlaysAvailable (docs/interface#free-play-info). */

const ticket = (serial: string, count: number) => ({
  ...{ count, stake: 20, currency: 'EUR', price: 0, feature: 'bonus', serial },
});
const TICKETS = [ticket('T-1', 3), ticket('T-2', 1)];
const byTicket = (serial = 'T-1', over: Partial<StartCommand> = {}): StartCommand => {
  const { count, stake, currency } = TICKETS.find((one) => one.serial === serial)!;
  return ticketStart({
    ticket: { serial, stake, currency, count, usedBefore: 0, wonBefore: 0 },
    grants: { tickets: TICKETS },
    ...over,
  });
};
const counts = (balance: WalletBalance | undefined): [string, number][] =>
  freePlaysAvailable(balance).map(({ serial, count }) => [serial, count]);

describe('after a free play', () => {
  it('one less of its ticket is available, and as many as before of the others', () => {
    const reply = new TestRound(byTicket()).deliver(ACCEPTED).reply(byTicket());
    expect(counts(reply.balance)).toEqual([
      ['T-1', 2],
      ['T-2', 1],
    ]);
    expect(reply.balance?.balances).toEqual(BALANCE.balances);
    expect(reply.freePlayInfo).toMatchObject({ used: 1, granted: 3 });
  });

  it('counts no free play, and no win, once its round is cancelled', () => {
    const round = new TestRound(byTicket()).deliver(ACCEPTED);
    round.do(addWin('w', 500));
    const reply = round.do(VOID, ACCEPTED);
    expect(reply.freePlayInfo).toMatchObject({ used: 0, granted: 3, won: 0 });
    expect(freePlayInfo(round.state)).toMatchObject({ used: 0, won: 0 });
  });

  it('nothing of a ticket that is used up', () => {
    const reply = new TestRound(byTicket('T-2')).deliver(ACCEPTED).reply(byTicket('T-2'));
    expect(counts(reply.balance)).toEqual([['T-1', 3]]);
  });

  it.each([
    ['with its end in the same call', 0, [ACCEPTED]],
    ['with a win, credited in a call of its own', 50, [ACCEPTED, ACCEPTED]],
  ])('also when the round is closed by the same call, %s', (_how, winAmount, outcomes) => {
    const bet = byTicket('T-1', { endGame: true, winAmount });
    const reply = new TestRound(bet).deliver(...outcomes).reply(bet);
    expect(counts(reply.balance)).toContainEqual(['T-1', 2]);
    expect(reply.gameRoundInfo.status).toBe('closed');
  });

  it('also when the wallet told no balance', () => {
    const reply = new TestRound(byTicket()).deliver({ kind: 'accepted' }).reply(byTicket());
    expect(counts(reply.balance)).toContainEqual(['T-1', 2]);
  });

  it('the operator’s own word in that reply counts, also that there are none', () => {
    for (const tickets of [[ticket('T-1', 7)], []]) {
      const balance = { ...BALANCE, tickets };
      const reply = new TestRound(byTicket()).deliver({ kind: 'accepted', balance }).reply(byTicket());
      expect(counts(reply.balance)).toEqual(tickets.map(({ serial, count }) => [serial, count]));
    }
  });

  it('a repeat tells the same again, whatever the operator has told since, also in a later run', () => {
    const round = new TestRound(byTicket()).deliver(ACCEPTED);
    const first = round.reply(byTicket());
    round.do(addWin('w1', 100));
    const discountInfo = { campaignId: 'later' };
    round.do(collectWin('c1'), {
      kind: 'accepted',
      balance: { ...BALANCE, tickets: [ticket('T-9', 9)], discountInfo },
    });
    round.replace(throughJson(round.state));
    expect(round.reply(byTicket())).toEqual(first);
  });

  it.each([
    ['declined', DECLINED],
    ['unknown, so voided', UNKNOWN],
  ])('a bet that was %s used none', (_what, outcome) => {
    const reply = new TestRound(byTicket()).deliver(outcome).reply(byTicket());
    expect(reply.gameRoundInfo.status).toBe('cancel');
    expect(counts(reply.balance)).toContainEqual(['T-1', 3]);
  });

  it('a void gives it back, and so does a refused credit', () => {
    const round = new TestRound(byTicket()).deliver(ACCEPTED);
    expect(counts(round.do(VOID, ACCEPTED).balance)).toContainEqual(['T-1', 3]);
    const bet = byTicket('T-1', { endGame: true, winAmount: 50 });
    const voided = new TestRound(bet).deliver(ACCEPTED, rejected()).reply(bet);
    expect(voided.gameRoundInfo.status).toBe('cancel');
    expect(counts(voided.balance)).toContainEqual(['T-1', 3]);
  });
});

describe('after a discounted bet', () => {
  const discounts = [
    { stake: 50, absoluteDiscountAmount: 5, spinsRemaining: 4 },
    { stake: 100, absoluteDiscountAmount: 30, spinsRemaining: 0 },
    { stake: 100, absoluteDiscountAmount: 20, spinsRemaining: 2 },
  ];
  const discountInfo = { text: 'spring', currency: 'EUR', campaignId: 'c1', discounts };
  const discounted = start({
    discount: currentDiscount(discountInfo, 100, 'EUR', AT),
    grants: { discountInfo },
  });

  it('one less of its spins remains', () => {
    expect(discounted.discount).toEqual({ amount: 20, campaignId: 'c1' });
    const reply = new TestRound(discounted).deliver(ACCEPTED).reply(discounted);
    const [first, second, third] = discounts;
    expect(reply.balance?.discountInfo).toEqual({
      ...discountInfo,
      discounts: [first, second, { ...third, spinsRemaining: 1 }],
    });
  });

  it('the operator’s own word counts', () => {
    const told = { ...discountInfo, text: 'told' };
    const outcome = { kind: 'accepted', balance: { ...BALANCE, discountInfo: told } } as const;
    expect(new TestRound(discounted).deliver(outcome).reply(discounted).balance?.discountInfo).toEqual(told);
  });

  it('as many as before when it was declined or voided', () => {
    expect(new TestRound(discounted).deliver(DECLINED).reply(discounted).balance?.discountInfo).toEqual(
      discountInfo,
    );
    const round = new TestRound(discounted).deliver(ACCEPTED);
    expect(round.do(VOID, ACCEPTED).balance?.discountInfo).toEqual(discountInfo);
  });
});

it('a bet without ticket and discount tells what the wallet told, no more', () => {
  const reply = new TestRound(start()).deliver(ACCEPTED).reply(start());
  expect(reply.balance).toEqual(BALANCE);
});
