import type { Command } from '../../src/domain/round/types';
import {
  ACCEPTED,
  addWin,
  collectWin,
  end,
  opened,
  openedForFollowUps,
  retryable,
  spins,
  start,
  TestRound,
  throughJson,
  ticketStart,
} from './support';

const WON = start({ winAmount: 40 });

describe('a repeat while the round is open: the first reply again, nothing twice', () => {
  it('startGameRound, twenty times before and after its answer: one debit', () => {
    const round = new TestRound(WON);
    for (let n = 0; n < 20; n += 1) expect(round.send(WON)).toEqual({ kind: 'join', key: 'start' });
    round.deliver(ACCEPTED);
    const first = round.reply(WON);
    for (let n = 0; n < 20; n += 1) expect(round.send(WON)).toEqual({ kind: 'join', key: 'start' });
    expect(round.reply(WON)).toEqual(first);
    expect(round.shapes).toEqual([['debit 100']]);
  });

  it('addWin: added once', () => {
    const round = opened(WON);
    const first = round.do(addWin('w', 25));
    expect(round.send(addWin('w', 25))).toEqual({ kind: 'join', key: 'addWin:w' });
    expect(round.reply(addWin('w', 25))).toEqual(first);
    expect(round.state.amountToCollect).toBe(65);
    expect(round.state.gameState).toHaveLength(2);
  });

  it('collectWin: credited once', () => {
    const round = opened(WON);
    const first = round.do(collectWin('c', 10), ACCEPTED);
    expect(round.send(collectWin('c', 10))).toMatchObject({ kind: 'join' });
    expect(round.reply(collectWin('c', 10))).toEqual(first);
    expect(round.shapes).toEqual([['debit 100'], ['credit 10']]);
  });

  it('addSpinCounterGameState: counted once', () => {
    const round = opened(WON);
    const first = round.do(spins('s', 'free', 3, 0));
    expect(round.send(spins('s', 'free', 3, 0))).toMatchObject({ kind: 'join' });
    expect(round.reply(spins('s', 'free', 3, 0))).toEqual(first);
    expect(first.spinsAvailable).toBe(3);
  });

  it('the amounts and the balance of the first reply, also after other steps', () => {
    const round = opened(WON);
    const first = round.do(addWin('w', 25));
    round.do(addWin('x', 1));
    round.do(collectWin('c', 50), ACCEPTED);
    expect(round.reply(addWin('w', 25))).toMatchObject({ amountToCollect: 65, amountCredited: 0 });
    expect(round.reply(addWin('w', 25)).gameState).toHaveLength(first.gameState.length);
  });

  it('to the letter: what was collected since doesn’t show in it', () => {
    const round = opened(WON);
    const first = throughJson(round.do(addWin('w', 25)));
    round.do(collectWin('c', 50), ACCEPTED);
    expect(throughJson(round.reply(addWin('w', 25)))).toEqual(first);
  });

  it('to the letter: nor a follow-up’s stake', () => {
    const round = openedForFollowUps();
    const first = throughJson(round.reply(start()));
    round.do(start({ rngCallId: 'rng-2', debitAmount: 30 }), ACCEPTED);
    expect(throughJson(round.reply(start()))).toEqual(first);
  });

  it('to the letter: nor what the free play won since', () => {
    const round = opened(ticketStart());
    const first = throughJson(round.reply(ticketStart()));
    round.do(addWin('w', 25));
    expect(throughJson(round.reply(ticketStart()))).toEqual(first);
  });

  it('is answered while another command’s credit is being retried', () => {
    const round = opened(WON);
    round.do(addWin('w', 25));
    round.send(end());
    round.deliver(retryable({ maybePaid: true }));
    expect(round.send(addWin('w', 25))).toEqual({ kind: 'join', key: 'addWin:w' });
    expect(round.send(start({ winAmount: 40 }))).toEqual({ kind: 'join', key: 'start' });
  });
});

describe('the same key with other money: 400 IDEMPOTENCYMISMATCH', () => {
  const cases: [string, Command, Command][] = [
    ['startGameRound, another stake', WON, start({ winAmount: 40, debitAmount: 101 })],
    ['startGameRound, another currency', WON, { ...WON, currency: 'USD' }],
    ['startGameRound, a ticket instead of money', WON, { ...WON, useTicket: true }],
    ['startGameRound, another win', WON, start({ winAmount: 41 })],
    ['addWin, another win', addWin('w', 25), addWin('w', 26)],
    ['collectWin, another amount', collectWin('c', 10), collectWin('c', 11)],
    ['collectWin, all instead of a part', collectWin('c', 10), collectWin('c')],
    ['addSpinCounterGameState, another award', spins('s', 'free', 3, 0), spins('s', 'free', 4, 0)],
    ['addSpinCounterGameState, another use', spins('s', 'free', 3, 0), spins('s', 'free', 3, 1)],
    ['addSpinCounterGameState, another counter', spins('s', 'free', 3, 0), spins('s', 'bonus', 3, 0)],
  ];

  it.each(cases)('%s, after the answer', (_, first, second) => {
    const round = opened(WON);
    if (first.type !== 'start') round.send(first);
    if (round.state.pending !== undefined) round.deliver(ACCEPTED);
    const before = round.state;
    expect(round.refusal(second)).toBe('IDEMPOTENCYMISMATCH');
    expect(round.state).toBe(before);
  });

  it('while the first one is on its way', () => {
    const round = opened(WON);
    round.send(collectWin('c', 10));
    expect(round.refusal(collectWin('c', 11))).toBe('IDEMPOTENCYMISMATCH');
    expect(new TestRound(WON).refusal(start({ debitAmount: 99 }))).toBe('IDEMPOTENCYMISMATCH');
  });

  it('addWin(collect) on its way, the same key without collect', () => {
    const round = opened(WON);
    round.send(addWin('w', 5, { collect: true }));
    expect(round.refusal(addWin('w', 6, { collect: true }))).toBe('IDEMPOTENCYMISMATCH');
  });
});

describe('keys of different operations don’t meet', () => {
  it('one id for addWin, collectWin, addSpinCounterGameState and endGameRound', () => {
    const round = opened(WON);
    expect(round.send(addWin('id', 25)).kind).toBe('accept');
    expect(round.send(spins('id', 'free', 1, 0)).kind).toBe('accept');
    round.do(collectWin('id', 10), ACCEPTED);
    round.do(end('id'), ACCEPTED);
    const hashes = [...round.calls.flat(), ...round.state.gameState].map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(round.state.status).toBe('closed');
  });

  it('ids that look like our own keys', () => {
    const round = openedForFollowUps();
    for (const key of ['start', 'void', 'debit:rng-2', 'addWin:w', '']) {
      expect(round.send(addWin(key, 1)).kind).toBe('accept');
    }
    round.do(start({ rngCallId: 'start' }), ACCEPTED);
    round.do(start({ rngCallId: 'rng-2' }), ACCEPTED);
    expect(new Set(round.transactions('debit').map(({ hash }) => hash)).size).toBe(3);
    expect(round.state.amountToCollect).toBe(5);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'an id of %s is an id like any other, also through JSON',
    (key) => {
      const round = openedForFollowUps();
      expect(round.do(addWin(key, 7))).toMatchObject({ amountToCollect: 7 });
      round.replace(throughJson(round.state));
      expect(round.send(addWin(key, 7))).toMatchObject({ kind: 'join' });
      expect(round.refusal(addWin(key, 8))).toBe('IDEMPOTENCYMISMATCH');
      round.do(start({ rngCallId: key }), ACCEPTED);
      expect(round.send(start({ rngCallId: key }))).toMatchObject({ kind: 'join' });
      expect(round.do(collectWin(key), ACCEPTED)).toMatchObject({ amountCredited: 7 });
      expect(({} as Record<string, unknown>).answer).toBeUndefined();
    },
  );
});

describe('once the round is over a repeat fails with GAMEROUNDNOTACTIVE', () => {
  it.each([addWin('w', 5), collectWin('c', 5), spins('s', 'free', 1, 0), end(), WON])('%j', (command) => {
    const round = opened(WON);
    round.do(addWin('w', 5));
    round.do(collectWin('c', 5), ACCEPTED);
    round.do(spins('s', 'free', 1, 0));
    round.do(end(), ACCEPTED);
    expect(round.refusal(command)).toBe('GAMEROUNDNOTACTIVE');
  });
});
