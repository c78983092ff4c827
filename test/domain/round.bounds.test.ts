import { MAX_COMMANDS, MAX_INFO_BYTES } from '../../src/domain/round/decide';
import type { CommandEntry, RoundState } from '../../src/domain/round/types';
import {
  ACCEPTED,
  addWin,
  BALANCE,
  collectWin,
  end,
  opened,
  openedForFollowUps,
  spins,
  start,
  type TestRound,
  VOID,
} from './support';

const MAX = Number.MAX_SAFE_INTEGER;

describe('sums of amounts stay within 2^53 - 1', () => {
  it('open winnings', () => {
    const round = opened(start({ winAmount: MAX - 1 }));
    expect(round.refusal(addWin('w', 2))).toBe('INVALIDREQUEST');
    expect(round.state.amountToCollect).toBe(MAX - 1);
    expect(round.do(addWin('w', 1))).toMatchObject({ amountToCollect: MAX });
    expect(round.refusal(addWin('x', 1, { collect: true }))).toBe('INVALIDREQUEST');
    expect(round.shapes).toEqual([['debit 100']]);
    expect(round.do(end(), ACCEPTED)).toMatchObject({ amountCredited: MAX });
  });

  it('the win of a follow-up', () => {
    const round = opened(start({ winAmount: MAX }), { followUpDebits: true });
    expect(round.refusal(start({ rngCallId: 'rng-2', winAmount: 1 }))).toBe('INVALIDREQUEST');
    expect(round.shapes).toEqual([['debit 100']]);
  });

  it('stakes', () => {
    const round = opened(start({ debitAmount: MAX }), { followUpDebits: true });
    expect(round.refusal(start({ rngCallId: 'rng-2', debitAmount: 1 }))).toBe('INVALIDREQUEST');
    expect(round.shapes).toHaveLength(1);
  });

  it('all wins of a round, also those collected before: else what is left to collect is inexact', () => {
    const round = opened(start({ winAmount: MAX }));
    round.do(collectWin('c'), ACCEPTED);
    expect(round.refusal(addWin('w', 2))).toBe('INVALIDREQUEST');
    expect(round.state.amountToCollect).toBe(0);
  });
});

/** So many commands are known already. */
function withCommands(state: RoundState, count: number): Record<string, CommandEntry> {
  const entry = { fingerprint: '[1,false]', answer: state.commands.start?.answer };
  const others = Array.from({ length: count - 1 }, (_, n) => [`addWin:filler-${n}`, entry] as const);
  return { ...state.commands, ...Object.fromEntries(others) };
}

describe('the number of commands of a round is bounded', () => {
  const full = openedForFollowUps();
  full.do(addWin('w', 40));
  full.replace({ commands: withCommands(full.state, MAX_COMMANDS) });

  it.each([
    addWin('one-more', 1),
    addWin('one-more', 1, { collect: true }),
    spins('one-more', 'free', 1, 0),
    start({ rngCallId: 'rng-2' }),
    collectWin('one-more', 1),
  ])('full: %j is refused', (command) => {
    const round = openedForFollowUps().replace(full.state);
    expect(round.refusal(command)).toBe('INVALIDREQUEST');
    expect(round.state.pending).toBeUndefined();
  });

  it('one below: accepted', () => {
    const round = openedForFollowUps();
    round.replace({ commands: withCommands(round.state, MAX_COMMANDS - 1) });
    expect(round.send(addWin('one-more', 1)).kind).toBe('accept');
    expect(round.refusal(addWin('two-more', 1))).toBe('INVALIDREQUEST');
  });

  it('full: repeats are answered, and the round can be finished', () => {
    const round = openedForFollowUps().replace(full.state);
    expect(round.send(addWin('filler-0', 1))).toMatchObject({ kind: 'join' });
    expect(round.do(end(), ACCEPTED)).toMatchObject({
      amountCredited: 40,
      gameRoundInfo: { status: 'closed' },
    });
    const other = openedForFollowUps().replace(full.state);
    expect(other.do(VOID, ACCEPTED)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
  });
});

describe('the free-form data of a round is bounded', () => {
  const half = 'x'.repeat(MAX_INFO_BYTES / 2 + 1_000);

  it.each([
    addWin('b', 1, { result: half }),
    addWin('b', 1, { betData: { note: half } }),
    addWin('b', 1, { jackpotPayout: [{ jackpotId: half, jackpotMode: 'pot' }] }),
    { ...spins('b', 'free', 1, 0), gameStateResult: { note: half } },
    start({ rngCallId: 'rng-2', result: half }),
  ])('$type beyond it is refused, nothing is sent', (command) => {
    const round = openedForFollowUps();
    round.do(addWin('a', 1, { result: half }));
    expect(round.refusal(command)).toBe('INVALIDREQUEST');
    expect(round.shapes).toHaveLength(1);
    expect(round.do(end(), ACCEPTED)).toMatchObject({ amountCredited: 1 });
  });

  it('is counted in bytes, not in characters', () => {
    const threeBytesEach = '\u20ac'.repeat(MAX_INFO_BYTES / 3 + 1_000);
    expect(Buffer.byteLength(threeBytesEach)).toBeGreaterThan(MAX_INFO_BYTES);
    expect(opened().refusal(addWin('a', 1, { result: threeBytesEach }))).toBe('INVALIDREQUEST');
  });
});

describe('a full round still fits what a workflow can carry (2 MB)', () => {
  const TWO_MB = 2 * 1024 * 1024;
  const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  /** The longest text that a command's key or counterType may have. */
  const longest = (n: number): string => uuid(n).padEnd(160, 'x');

  /** A round grows linearly: from the growth of some steps follows its size when no more are taken. */
  function sizeWhenFull(step: (round: TestRound, n: number) => unknown): number {
    const round = opened(start({ rngCallId: uuid(0), winAmount: 1_000_000 }), { followUpDebits: true });
    const bytes: number[] = [];
    const infoBytes: number[] = [];
    for (let n = 1; n <= 60; n += 1) {
      step(round, n);
      bytes.push(Buffer.byteLength(JSON.stringify(round.state)));
      infoBytes.push(round.state.infoBytes);
    }
    const growth = (of: number[]): number => (of[59]! - of[9]!) / 50;
    return bytes[9]! + growth(bytes) * Math.min(MAX_COMMANDS, MAX_INFO_BYTES / growth(infoBytes));
  }

  it('of addWins', () => {
    const size = sizeWhenFull((round, n) => round.do(addWin(uuid(n), 250, { rngCallId: uuid(n) })));
    expect(size).toBeLessThan(TWO_MB);
  });

  it('of addWins with much to tell', () => {
    const size = sizeWhenFull((round, n) => round.do(addWin(uuid(n), 250, { result: 'x'.repeat(150) })));
    expect(size).toBeLessThan(TWO_MB);
  });

  it('of addWins and collectWins in turn', () => {
    const size = sizeWhenFull((round, n) =>
      n % 2 === 0
        ? round.do(collectWin(uuid(n), 10), ACCEPTED)
        : round.do(addWin(uuid(n), 250, { rngCallId: uuid(n) })),
    );
    expect(size).toBeLessThan(TWO_MB);
  });

  it('of follow-up debits', () => {
    const size = sizeWhenFull((round, n) => round.do(start({ rngCallId: uuid(n) }), ACCEPTED));
    expect(size).toBeLessThan(TWO_MB);
  });

  it('of addWins with the longest keys', () => {
    const size = sizeWhenFull((round, n) => round.do(addWin(longest(n), 250)));
    expect(size).toBeLessThan(TWO_MB);
  });

  it('of spin counters with the longest names', () => {
    const size = sizeWhenFull((round, n) => round.do(spins(longest(n), longest(0), 1, 0)));
    expect(size).toBeLessThan(TWO_MB);
  });

  it('of as many spin counters as it takes', () => {
    const round = opened();
    for (let n = 0; n < 100; n += 1) round.do(spins(uuid(n), longest(n), 1, 0));
    expect(round.refusal(spins('one more', 'one more', 1, 0))).toBe('INVALIDREQUEST');
    expect(round.do(spins('again', longest(0), 1, 0))).toMatchObject({ spinsAvailable: 2 });
  });

  it('of collectWins to an operator that tells of a campaign with every balance', () => {
    const discountInfo = { text: 'x'.repeat(2_000), currency: 'EUR', discounts: [], campaignId: 'c' };
    const answer = { kind: 'accepted', balance: { ...BALANCE, discountInfo } } as const;
    const size = sizeWhenFull((round, n) => round.do(collectWin(uuid(n), 10), answer));
    expect(size).toBeLessThan(TWO_MB);
  });
});
