import { createDemoRounds, type DemoRounds } from '../../src/demo';
import { gameroundHash } from '../../src/domain/hashes';
import { memoryStore, player, settings, refusalOf, SESSION, totalOf } from './support';

let rounds: DemoRounds;
let me: ReturnType<typeof player>;

function setUp(over: Parameters<typeof settings>[0] = {}): void {
  rounds = createDemoRounds({
    store: memoryStore(),
    settingsFor: () => Promise.resolve(settings(over)),
    now: () => Date.parse('2026-03-01T10:00:00Z'),
  });
  me = player(rounds);
}
beforeEach(() => setUp());

async function opened(stake = 100): Promise<string> {
  return (await me.start({ stake })).gameRoundInfo.hash;
}

describe('a round of pretend money', () => {
  it('opens with its bet taken from the session’s balance', async () => {
    const reply = await me.start({ stake: 250, roundId: 'r1', rngCallId: 'draw-1' });
    expect(reply).toMatchObject({
      gameRoundInfo: {
        status: 'open',
        stake: 250,
        baseStake: 250,
        mode: 'demo',
        currency: 'EUR',
        game: 'slot',
        currencyMultiplier: 1,
        commonRoundHash: '',
      },
      gameState: [{ type: 'debit', amountWagered: 250, processedOn: '2026-03-01T10:00:00.000Z' }],
      amountToCollect: 0,
      amountCredited: 0,
      balance: { balances: [{ type: 'real', amount: 750, currency: 'EUR' }] },
    });
    expect(reply.refusal).toBeUndefined();
    expect(await me.balance()).toBe(750);
    expect((await me.open())?.identity).toMatchObject({ mode: 'demo', sessionId: 'session-1' });
  });

  it('with endGame: winnings credited in the same call, closed', async () => {
    const reply = await me.start({ stake: 100, win: 300, endGame: true });
    expect(reply).toMatchObject({
      gameRoundInfo: { status: 'closed' },
      amountCredited: 300,
      amountToCollect: 0,
    });
    expect(totalOf(reply.balance)).toBe(1_200);
    expect(await me.open()).toBeUndefined();
    expect(await me.start({ stake: 100, endGame: true })).toMatchObject({
      gameRoundInfo: { status: 'closed' },
      amountCredited: 0,
    });
    expect(await me.balance()).toBe(1_100);
  });

  it('addWin: amountToCollect rises, nothing is paid before it is collected', async () => {
    const round = await opened();
    expect(await me.addWin(round, 40)).toMatchObject({ amountToCollect: 40, amountCredited: 0 });
    const second = await me.addWin(round, 60);
    expect(second).toMatchObject({ gameRoundInfo: { status: 'open' }, amountToCollect: 100 });
    expect(totalOf(second.balance)).toBe(900);
    expect(second.gameState.map(({ type }) => type)).toEqual(['debit', 'genericwin', 'genericwin']);
    const collected = await me.addWin(round, 5, true);
    expect(collected).toMatchObject({
      gameRoundInfo: { status: 'closed' },
      amountCredited: 105,
      amountToCollect: 0,
    });
    expect(await me.balance()).toBe(1_005);
  });

  it('endGameRound collects and closes; again: GAMEROUNDNOTACTIVE, and so is every other command', async () => {
    const round = await opened();
    await me.addWin(round, 40);
    expect(await me.end(round, 'end')).toMatchObject({
      gameRoundInfo: { status: 'closed' },
      amountCredited: 40,
    });
    for (const again of [me.end(round, 'end'), me.addWin(round, 1), me.collect(round), me.void(round)]) {
      expect(await refusalOf(again)).toBe('400 2000 GAMEROUNDNOTACTIVE');
    }
    expect(await refusalOf(me.spins(round, 1, 0))).toBe('400 2000 GAMEROUNDNOTACTIVE');
    expect(await me.balance()).toBe(940);
  });

  it('collectWin credits a part, or all; the round stays open', async () => {
    const round = await opened();
    await me.addWin(round, 100);
    expect(await refusalOf(me.collect(round, 101))).toBe('400 2013 UNCOLLECTEDAMOUNTTOOLOW');
    expect(await me.collect(round, 30)).toMatchObject({
      gameRoundInfo: { status: 'open' },
      amountCredited: 30,
      amountToCollect: 70,
    });
    expect(await me.collect(round)).toMatchObject({ amountCredited: 70, amountToCollect: 0 });
    expect(await me.balance()).toBe(1_000);
    expect(await refusalOf(me.void(round))).toBe('400 2011 CREDITALREADYPROCESSED');
  });

  it('voidGameRound gives the bet back, once, and drops open winnings', async () => {
    const round = await opened(400);
    await me.addWin(round, 50);
    expect(await me.void(round)).toMatchObject({ gameRoundInfo: { status: 'cancel' }, amountToCollect: 0 });
    expect(await me.balance()).toBe(1_000);
    expect(await refusalOf(me.void(round))).toBe('400 2000 GAMEROUNDNOTACTIVE');
    expect(await me.balance()).toBe(1_000);
  });

  it('a bet that the balance can’t pay is declined: cancel, nothing moved, no win accepted', async () => {
    const reply = await me.start({ stake: 1_001, win: 5_000, endGame: true, roundId: 'r1' });
    expect(reply.refusal).toEqual({
      status: 400,
      errorCode: { id: 5001, msg: 'INSUFFICIENTFUNDS', clientmsg: 'Your balance is too low.' },
    });
    expect(reply.gameRoundInfo.status).toBe('cancel');
    expect(totalOf(reply.balance)).toBe(1_000);
    const { hash } = reply.gameRoundInfo;
    expect(await refusalOf(me.addWin(hash, 1))).toBe('400 2000 GAMEROUNDNOTACTIVE');
    expect(await refusalOf(me.start({ stake: 1_001, roundId: 'r1' }))).toBe('400 2000 GAMEROUNDNOTACTIVE');
    expect(await me.start({ stake: 1_000 })).toMatchObject({ gameRoundInfo: { status: 'open' } });
    expect(await me.balance()).toBe(0);
  });

  it('is paid at most up to 2^53 - 1', async () => {
    const round = await opened();
    await me.addWin(round, Number.MAX_SAFE_INTEGER);
    expect(await refusalOf(me.addWin(round, 1))).toBe('400 1000 INVALIDREQUEST');
    await me.end(round);
    expect(await me.balance()).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('repeats and names', () => {
  it('the first reply again, one debit; other money under the same name: IDEMPOTENCYMISMATCH', async () => {
    const first = await me.start({ roundId: 'r1', rngCallId: 'd1' });
    await me.addWin(first.gameRoundInfo.hash, 10);
    const again = await me.start({ roundId: 'r1', rngCallId: 'd1' });
    expect(again).toEqual(first);
    expect(await me.balance()).toBe(900);
    expect(await refusalOf(me.start({ roundId: 'r1', stake: 200 }))).toBe('400 2002 IDEMPOTENCYMISMATCH');
    expect(await me.balance()).toBe(900);
  });

  it('a win is added once for each transaction id', async () => {
    const round = await opened();
    const first = await me.addWin(round, 10, false, 't1');
    expect(await me.addWin(round, 10, false, 't1')).toEqual(first);
    expect(await refusalOf(me.addWin(round, 11, false, 't1'))).toBe('400 2002 IDEMPOTENCYMISMATCH');
    expect((await me.open())?.amountToCollect).toBe(10);
  });

  it('is told from a round of real money, and from another session’s, of the same name', async () => {
    const real = gameroundHash('op1', 'p1', 'slot', 'round:r1');
    const mine = (await me.start({ roundId: 'r1' })).gameRoundInfo.hash;
    const other = player(rounds, { ...SESSION, sessionId: 'session-2' });
    const theirs = (await other.start({ roundId: 'r1', stake: 300 })).gameRoundInfo.hash;
    expect(new Set([real, mine, theirs]).size).toBe(3);
    expect(mine).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect([await me.balance(), await other.balance()]).toEqual([900, 700]);
    expect(await refusalOf(other.end(mine))).toBe('404 2001 GAMEROUNDNOTFOUND');
    const describeRound = (name: string) => rounds.commands.describeRound(name, SESSION);
    expect((await describeRound(mine))?.identity.gameround).toBe(mine);
    expect((await describeRound(real))?.identity.gameround).toBe(mine);
    expect(await describeRound(theirs)).toBeUndefined();
  });
});

describe('one open round in the session’s game', () => {
  it('another start: id 12 with the open round’s gameRoundInfo, and its name is not used up', async () => {
    const open = await opened();
    const refused = await me.start({ roundId: 'next' });
    expect(refused.refusal).toMatchObject({
      status: 400,
      errorCode: { id: 12, msg: 'GAMEROUNDALREADYSTARTED' },
    });
    expect(refused.gameRoundInfo).toMatchObject({ hash: open, status: 'open' });
    expect(await me.balance()).toBe(900);
    await me.end(open);
    expect(await me.start({ roundId: 'next' })).toMatchObject({ gameRoundInfo: { status: 'open' } });
  });

  it('closeOpenGame: open winnings are collected first, so that they can pay the new bet', async () => {
    const open = await opened(1_000);
    await me.addWin(open, 70);
    const next = await me.start({ stake: 70, closeOpenGame: true });
    expect(next).toMatchObject({ gameRoundInfo: { status: 'open' } });
    expect(totalOf(next.balance)).toBe(0);
    expect(await rounds.commands.describeRound(open, SESSION)).toMatchObject({
      status: 'closed',
      amountToCollect: 0,
    });
  });

  it('closeOpenGame never closes the named round itself', async () => {
    const first = await me.start({ roundId: 'r1', closeOpenGame: true });
    expect(await me.start({ roundId: 'r1', closeOpenGame: true })).toEqual(first);
    expect(await me.balance()).toBe(900);
  });

  it('a declined bet with closeOpenGame: the open round is closed all the same', async () => {
    const open = await opened(900);
    const declined = await me.start({ stake: 101, closeOpenGame: true });
    expect(declined).toMatchObject({ refusal: { status: 400 }, gameRoundInfo: { status: 'cancel' } });
    expect((await rounds.commands.describeRound(open, SESSION))?.status).toBe('closed');
    expect(await me.balance()).toBe(100);
  });
});

describe('follow-up debits', () => {
  it('are debits of the open round, for games that have them; declined: the round stays open', async () => {
    setUp({ followUpDebits: true });
    const first = await me.start({ roundId: 'r1', rngCallId: 'd1' });
    const second = await me.start({ roundId: 'r1', rngCallId: 'd2', stake: 200 });
    expect(second.gameRoundInfo).toMatchObject({
      hash: first.gameRoundInfo.hash,
      status: 'open',
      stake: 300,
    });
    expect(await me.balance()).toBe(700);
    const third = me.start({ roundId: 'r1', rngCallId: 'd3', stake: 701 });
    expect(await refusalOf(third)).toBe('400 5001 INSUFFICIENTFUNDS');
    expect((await me.open())?.status).toBe('open');
    await me.void(first.gameRoundInfo.hash);
    expect(await me.balance()).toBe(1_000);
  });
});

describe('spin counters', () => {
  it('are awarded and used; never more than were awarded', async () => {
    const round = await opened();
    expect(await me.spins(round, 3, 0)).toMatchObject({ spinsAvailable: 3 });
    expect(await me.spins(round, 0, 2, 't1')).toMatchObject({ spinsAvailable: 1 });
    expect(await me.spins(round, 0, 2, 't1')).toMatchObject({ spinsAvailable: 1 });
    expect(await refusalOf(me.spins(round, 0, 2))).toBe('400 2009 SPINCOUNTEREXHAUSTED');
    expect((await me.open())?.spinCounters).toEqual({ customspin: { awarded: 3, used: 2 } });
  });
});

describe('what a demo session may not', () => {
  it('tickets: 400 MODENOTALLOWED; refused for a follow-up as with real money', async () => {
    setUp({ followUpDebits: true });
    expect(await refusalOf(me.start({ useTicket: true }))).toBe('400 2010 MODENOTALLOWED');
    expect(await me.open()).toBeUndefined();
    await me.start({ roundId: 'r1', rngCallId: 'd1' });
    const followUp = me.start({ roundId: 'r1', rngCallId: 'd2', useTicket: true });
    expect(await refusalOf(followUp)).toBe('400 1000 INVALIDREQUEST');
    expect(await me.balance()).toBe(900);
  });

  it('another currency, a round that is not there, a session that is not demo', async () => {
    expect(await refusalOf(me.start({ currency: 'USD' }))).toBe('400 1000 INVALIDREQUEST');
    expect(await refusalOf(me.end('00000000-0000-8000-8000-000000000000'))).toBe(
      '404 2001 GAMEROUNDNOTFOUND',
    );
    const real = player(rounds, { ...SESSION, mode: 'real' });
    expect(await refusalOf(real.start())).toBe('400 2010 MODENOTALLOWED');
    await expect(real.open()).rejects.toMatchObject({ refusal: { errorCode: { id: 2010 } } });
  });

  it('once expired: no new round; what it opened can be repeated and finished', async () => {
    const round = await me.start({ roundId: 'r1' });
    const expired = { ...SESSION, expired: true };
    expect(await refusalOf(me.start({ session: expired, roundId: 'r2' }))).toBe('401 2006 TOKENEXPIRED');
    expect(await me.start({ session: expired, roundId: 'r1' })).toEqual(round);
    const late = player(rounds, expired);
    expect(await late.addWin(round.gameRoundInfo.hash, 10, true)).toMatchObject({ amountCredited: 10 });
  });

  it('a token of one round: no start, no other round', async () => {
    const round = await opened();
    const bound = player(rounds, { ...SESSION, onlyGameround: round });
    expect(await refusalOf(bound.start())).toBe('400 2010 MODENOTALLOWED');
    const other = player(rounds, { ...SESSION, onlyGameround: 'another' });
    expect(await refusalOf(other.end(round))).toBe('404 2001 GAMEROUNDNOTFOUND');
    expect(await bound.end(round)).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  });
});

it('the launch’s balance may be missing or odd: then there is none', async () => {
  for (const amount of [0.5, -1]) {
    const balance = { balances: [{ type: 'real', amount, currency: 'EUR' }] };
    expect(await player(rounds, { ...SESSION, sessionId: `odd${amount}`, balance }).balance()).toBe(0);
  }
  const { balance: _balance, ...without } = SESSION;
  expect(await refusalOf(player(rounds, { ...without, sessionId: 'none' }).start())).toContain('5001');
});
