import { decide } from '../../src/domain/round/decide';
import {
  ACCEPTED,
  addWin,
  collectWin,
  DECLINED,
  DECLINED_BUT_PROCESSED,
  end,
  LATER,
  opened,
  openedForFollowUps,
  OPERATOR_ERROR,
  retryable,
  start,
  UNKNOWN,
  VOID,
} from './support';

const FOLLOW_UP = start({ rngCallId: 'rng-2', debitAmount: 30 });

describe('which startGameRound is a follow-up debit', () => {
  it('a game with followUpDebits, both calls with a rngCallId and the two different', () => {
    const round = openedForFollowUps();
    expect(round.send(FOLLOW_UP).kind).toBe('accept');
    expect(round.shapes).toEqual([['debit 100'], ['debit 30']]);
    expect(round.calls[1]?.[0]).toMatchObject({ isFirstDebit: false, amount: 30 });
    expect(round.calls[1]?.[0]?.hash).not.toBe(round.calls[0]?.[0]?.hash);
  });

  it('a game without: a repeat, whatever its rngCallId', () => {
    const round = opened();
    expect(round.send(start({ rngCallId: 'rng-2' }))).toEqual({ kind: 'join', key: 'start' });
    expect(round.refusal(start({ rngCallId: 'rng-2', debitAmount: 30 }))).toBe('IDEMPOTENCYMISMATCH');
    expect(round.shapes).toEqual([['debit 100']]);
  });

  it('the same rngCallId: a repeat', () => {
    const round = openedForFollowUps();
    expect(round.send(start())).toEqual({ kind: 'join', key: 'start' });
    expect(round.refusal(start({ debitAmount: 30 }))).toBe('IDEMPOTENCYMISMATCH');
  });

  it('the same rngCallId in capitals: a repeat, also of a follow-up', () => {
    const [first, second] = ['1276f4d6-25fd-8d78-9644-fedd8d9abb93', '2c755b6e-f5a8-8262-aaab-cc8dd4413804'];
    const round = opened(start({ rngCallId: first }), { followUpDebits: true });
    expect(round.send(start({ rngCallId: first.toUpperCase() }))).toEqual({ kind: 'join', key: 'start' });
    round.do(start({ rngCallId: second }), ACCEPTED);
    expect(round.send(start({ rngCallId: second.toUpperCase() })).kind).toBe('join');
    expect(round.shapes).toHaveLength(2);
  });

  it.each([
    ['the first call', start({ rngCallId: undefined }), 'rng-2'],
    ['the second call', start(), undefined],
    ['both calls', start({ rngCallId: undefined }), undefined],
  ])('without a rngCallId in %s: same stake = repeat, other stake = mismatch', (_, first, rngCallId) => {
    const round = opened(first, { followUpDebits: true });
    expect(round.send(start({ rngCallId }))).toEqual({ kind: 'join', key: 'start' });
    expect(round.refusal(start({ rngCallId, debitAmount: 30 }))).toBe('IDEMPOTENCYMISMATCH');
    expect(round.shapes).toEqual([['debit 100']]);
  });

  it('a follow-up repeats with its own rngCallId: the first reply again, one debit', () => {
    const round = openedForFollowUps();
    const first = round.do(FOLLOW_UP, ACCEPTED);
    expect(round.send(FOLLOW_UP)).toMatchObject({ kind: 'join' });
    expect(round.reply(FOLLOW_UP)).toEqual(first);
    expect(round.refusal(start({ rngCallId: 'rng-2', debitAmount: 31 }))).toBe('IDEMPOTENCYMISMATCH');
    expect(round.shapes).toHaveLength(2);
  });

  it('another currency than the round’s is refused', () => {
    const round = openedForFollowUps();
    expect(round.refusal({ ...FOLLOW_UP, currency: 'USD' })).toBe('INVALIDREQUEST');
    expect(round.shapes).toHaveLength(1);
  });
});

describe('a follow-up debit that is accepted', () => {
  it('adds its stake and its win; each follow-up has a hash of its own', () => {
    const round = opened(start({ winAmount: 5 }), { followUpDebits: true });
    const reply = round.do({ ...FOLLOW_UP, winAmount: 7 }, ACCEPTED);
    round.do(start({ rngCallId: 'rng-3', debitAmount: 30 }), ACCEPTED);
    expect(reply).toMatchObject({ amountToCollect: 12, gameRoundInfo: { status: 'open', stake: 130 } });
    expect(round.state.stake).toBe(160);
    expect(new Set(round.transactions('debit').map(({ hash }) => hash)).size).toBe(3);
    expect(round.transactions('debit').map(({ isFirstDebit }) => isFirstDebit)).toEqual([true, false, false]);
  });

  it('its win is not there before the debit is accepted', () => {
    const round = openedForFollowUps();
    round.send({ ...FOLLOW_UP, winAmount: 7 });
    expect(round.state.amountToCollect).toBe(0);
    expect(round.state.gameState).toHaveLength(1);
  });

  it('with endGame: then all open winnings are credited and the round is closed', () => {
    const round = opened(start({ winAmount: 5 }), { followUpDebits: true });
    const reply = round.do({ ...FOLLOW_UP, winAmount: 7, endGame: true }, ACCEPTED, ACCEPTED);
    expect(round.shapes.slice(1)).toEqual([['debit 30'], ['credit 12', 'end']]);
    expect(reply).toMatchObject({ amountCredited: 12, gameRoundInfo: { status: 'closed' } });
  });

  it('with endGame and winnings open from before: they are credited too', () => {
    const round = opened(start({ winAmount: 5 }), { followUpDebits: true });
    const reply = round.do({ ...FOLLOW_UP, endGame: true }, ACCEPTED, ACCEPTED);
    expect(round.calls.flat().filter(({ type }) => type === 'credit')).toMatchObject([{ amount: 5 }]);
    expect(reply).toMatchObject({ amountCredited: 5, gameRoundInfo: { status: 'closed' } });
  });

  it('with endGame and nothing won: its debit alone, then the end in a call of its own', () => {
    const round = opened(start(), { followUpDebits: true });
    const reply = round.do({ ...FOLLOW_UP, endGame: true }, ACCEPTED, ACCEPTED);
    expect(round.shapes.slice(1)).toEqual([['debit 30'], ['end']]);
    expect(reply).toMatchObject({ amountCredited: 0, gameRoundInfo: { status: 'closed' } });
  });
});

describe('a follow-up debit that fails leaves the round open', () => {
  it('declined: refused with the operator’s error, nothing voided, winnings and stake untouched', () => {
    const round = opened(start({ winAmount: 5 }), { followUpDebits: true });
    const reply = round.do({ ...FOLLOW_UP, winAmount: 7, endGame: true }, DECLINED);
    expect(reply).toMatchObject({
      amountToCollect: 5,
      refusal: { status: 400, errorCode: OPERATOR_ERROR },
      gameRoundInfo: { status: 'open', stake: 100 },
    });
    expect(round.shapes).toEqual([['debit 100'], ['debit 30']]);
    expect(round.do(end(), ACCEPTED)).toMatchObject({ amountCredited: 5 });
  });

  it('declined: a repeat is told the same and sends nothing', () => {
    const round = openedForFollowUps();
    const first = round.do(FOLLOW_UP, DECLINED);
    expect(round.send(FOLLOW_UP)).toMatchObject({ kind: 'join' });
    expect(round.reply(FOLLOW_UP)).toEqual(first);
  });

  it.each([
    ['unknown', UNKNOWN, 502],
    ['declined but processed', DECLINED_BUT_PROCESSED, 400],
  ] as const)('%s: a void of that debit only, and the round goes on', (_, outcome, status) => {
    const round = opened(start({ winAmount: 5 }), { followUpDebits: true });
    const reply = round.do({ ...FOLLOW_UP, winAmount: 7 }, outcome);
    expect(reply).toMatchObject({ refusal: { status }, gameRoundInfo: { status: 'open', stake: 100 } });
    const [, followUp, taken] = round.calls.flat();
    expect(taken).toMatchObject({ type: 'void', hash: followUp?.hash });
    round.deliver(ACCEPTED);
    expect(round.state).toMatchObject({ status: 'open', pending: undefined, amountToCollect: 5 });
    expect(round.do(end(), ACCEPTED)).toMatchObject({
      amountCredited: 5,
      gameRoundInfo: { status: 'closed' },
    });
  });

  it.each([addWin('w', 5), end(), collectWin('c'), VOID, start({ rngCallId: 'rng-3' })])(
    'while its void is pending no credit is sent: %j → 503',
    (command) => {
      const round = opened(start({ winAmount: 5 }), { followUpDebits: true });
      round.do(FOLLOW_UP, UNKNOWN, retryable());
      expect(round.refusal(command)).toBe('OPERATIONBEINGPROCESSED');
      expect(round.shapes).toEqual([['debit 100'], ['debit 30'], ['void']]);
    },
  );

  it('voided once: a later voidGameRound takes back the others only', () => {
    const round = openedForFollowUps();
    round.do(FOLLOW_UP, UNKNOWN, ACCEPTED);
    round.do(start({ rngCallId: 'rng-3' }), ACCEPTED);
    round.do(VOID, ACCEPTED, ACCEPTED);
    const [first, second, third] = round.transactions('debit');
    expect(round.transactions('void').map(({ hash }) => hash)).toEqual([
      second?.hash,
      first?.hash,
      third?.hash,
    ]);
    expect(round.state.status).toBe('cancel');
  });

  it('its stake never counts, also not when a later one is accepted', () => {
    const round = openedForFollowUps();
    round.do(FOLLOW_UP, UNKNOWN, ACCEPTED);
    round.do(start({ rngCallId: 'rng-3', debitAmount: 7 }), ACCEPTED);
    expect(round.state.stake).toBe(107);
  });

  it('after a credit of the round: still a void of that debit only, nothing crashed', () => {
    const round = opened(start({ winAmount: 5 }), { followUpDebits: true });
    round.do(collectWin('c'), ACCEPTED);
    round.do(FOLLOW_UP, UNKNOWN, ACCEPTED);
    expect(round.state).toMatchObject({ status: 'open', crashed: false });
    expect(round.transactions('void')).toHaveLength(1);
  });
});

describe('an operator that cannot take back a follow-up (voidsWholeRound)', () => {
  it.each([UNKNOWN, DECLINED_BUT_PROCESSED])(
    '%j: voids all debits, the initial first, and cancels',
    (outcome) => {
      const round = opened(start({ winAmount: 5 }), { followUpDebits: true, voidsWholeRound: true });
      const reply = round.do(FOLLOW_UP, outcome);
      expect(reply).toMatchObject({ amountToCollect: 0, gameRoundInfo: { status: 'cancel' } });
      round.deliver(ACCEPTED, ACCEPTED);
      const [first, second] = round.transactions('debit');
      expect(round.transactions('void').map(({ hash }) => hash)).toEqual([first?.hash, second?.hash]);
      expect(round.state).toMatchObject({ status: 'cancel', pending: undefined });
    },
  );

  it('declined: the round stays open, nothing is voided', () => {
    const round = openedForFollowUps({ voidsWholeRound: true });
    expect(round.do(FOLLOW_UP, DECLINED)).toMatchObject({ gameRoundInfo: { status: 'open' } });
    expect(round.transactions('void')).toEqual([]);
  });

  it('unknown after a credit was paid: crashed, nothing voided', () => {
    const round = opened(start({ winAmount: 5 }), { followUpDebits: true, voidsWholeRound: true });
    round.do(collectWin('c'), ACCEPTED);
    expect(round.do(FOLLOW_UP, UNKNOWN)).toMatchObject({ refusal: { status: 502 } });
    expect(round.state).toMatchObject({ crashed: true, status: 'open', pending: undefined });
    expect(round.transactions('void')).toEqual([]);
  });

  it('unknown after a credit that may have been paid: the same', () => {
    const round = openedForFollowUps({ voidsWholeRound: true }).replace({ maybePaid: true });
    round.do(FOLLOW_UP, UNKNOWN);
    expect(round.state).toMatchObject({ crashed: true, pending: undefined });
    expect(round.transactions('void')).toEqual([]);
  });
});

describe('a follow-up debit while the first is not decided', () => {
  it('waits for no one: 503', () => {
    const round = openedForFollowUps();
    round.send(FOLLOW_UP);
    const decision = decide(round.state, start({ rngCallId: 'rng-3' }), LATER);
    expect(decision).toMatchObject({ kind: 'refuse', refusal: { status: 503, errorCode: { id: 3001 } } });
  });
});
