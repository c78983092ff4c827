import { moves, booksAtRest, type Books } from './e2e-books';
import { NoAnswer, type Answer } from './e2e-http';
import { catchCall, MOMENTS, type Catch, type Moment, type Scenario } from './e2e-kill';
import { describe as told, insist, newRoundId, roundOf, STAKE, takeSeat, type Seat } from './e2e-player';
import type { E2eStack, Part } from './e2e-stack';
import { until } from './until';

/** One operator for each kind of caught call, so that the kinds don't use up each other's slots for wallet calls. */
export const KILL_OPERATORS = ['op-between', 'op-debit', 'op-credit', 'op-void'].map((operatorId) => ({
  operatorId,
  walletTimeout: '9500ms',
}));

const WIN = 700;

type Wallet = Catch['wallet'];
type When = Catch['when'];

/** The scenarios of all cells of a row. `victims`: the processes that are killed in this row. */
export function scenariosOf(stack: E2eStack, victims: readonly Part[]): Scenario[] {
  const both = (['before', 'after'] as const).flatMap((when) => [
    ...debitScenarios(stack, victims, when),
    ...creditScenarios(stack, when),
    ...voidScenarios(stack, when),
  ]);
  return [...betweenScenarios(stack), ...both];
}

function momentOf(type: Catch['type'], when: When): Moment {
  const moment = MOMENTS.find((name) => name.includes(`a ${type}, ${when}`));
  if (moment === undefined) throw new Error(`no moment of a ${type}, ${when}`);
  return moment;
}

function betweenScenarios(stack: E2eStack): Scenario[] {
  const scenario = (name: string, go: (seat: Seat, gameRound: string) => Promise<unknown>): Scenario => ({
    moment: 'between wallet calls',
    name,
    prepare: async () => {
      const seat = await takeSeat(stack, { operatorId: 'op-between' });
      const gameRound = await seat.open({ winAmount: WIN });
      const recover = async (): Promise<void> => {
        await go(seat, gameRound);
        judgePaid(await booksAtRest(stack, gameRound));
        await playNext(stack, seat);
      };
      return { playerId: seat.playerId, strike: () => Promise.resolve(), recover };
    },
  });
  return [
    scenario('ended', async (seat, gameRound) => {
      expect(told(await insist(() => seat.end(gameRound, { transactionId: 'end' })))).toMatch(CLOSED);
    }),
    scenario('collected, then ended', async (seat, gameRound) => {
      await insist(() => seat.collect(gameRound, { transactionId: 'collect' }));
      await finish(seat, gameRound);
    }),
    scenario('closed by the next round', (seat) => startAnother(stack, seat)),
  ];
}

/** Answers to a command that has closed the round, or to its repeat. */
const CLOSED = /^(200 closed|400 GAMEROUNDNOTACTIVE closed)$/;
const CANCELLED = /^(200 cancel|400 GAMEROUNDNOTACTIVE cancel)$/;

/** The ids by which a repeated start finds its round (docs/interface#round-name). */
interface Naming {
  roundId: string | null;
  requestId?: string;
}

/** The provider's reaction to a start without an answer. Returns an answer that has the round's info. */
type Again = (seat: Seat, start: () => Promise<Answer>, look: () => Promise<Answer>) => Promise<Answer>;

function debitScenarios(stack: E2eStack, victims: readonly Part[], when: When): Scenario[] {
  const scenario = (
    name: string,
    wallet: Wallet,
    request: { endGame?: boolean; winAmount?: number; naming: () => Naming },
    again: Again,
  ): Scenario => ({
    moment: momentOf('debit', when),
    name: `${name}, wallet ${wallet}`,
    prepare: async () => {
      const seat = await takeSeat(stack, { operatorId: 'op-debit' });
      const caught = await catchCall(stack, seat.playerId, seat.operatorId, { type: 'debit', when, wallet });
      const { naming, ...more } = request;
      const named = { ...naming(), ...more };
      const lost = lostCall(() => seat.start(named));
      const recover = async (): Promise<void> => {
        const externalGameProviderRoundId = named.roundId ?? '';
        const look = (): Promise<Answer> => insist(() => seat.info({ externalGameProviderRoundId }));
        const gameRound = roundOf(await again(seat, () => seat.start(named), look));
        if (named.roundId !== null) expect(roundOf(await look())).toBe(gameRound);
        await finish(seat, gameRound);
        const books = await booksAtRest(stack, gameRound);
        judgeBet(books, request.winAmount ?? 0);
        // The wallet accepted the bet, and the worker, which gets the wallet's answer, was not killed.
        if (wallet === 'late' && victims.join() === 'api') expect(books.record.status).toBe('closed');
        await lost.over();
        await playNext(stack, seat);
      };
      return { playerId: seat.playerId, strike: () => lost.sentAnd(caught), recover };
    },
  });
  const repeat: Again = (_seat, start) => insist(start);
  const byRound = (): Naming => ({ roundId: newRoundId() });
  const byRequest = (): Naming => ({ roundId: null, requestId: newRoundId() });
  const byBoth = (): Naming => ({ roundId: newRoundId(), requestId: newRoundId() });
  return [
    scenario('same round id, same request id', 'silent', { naming: byBoth }, repeat),
    scenario('same round id, other request id', 'late', { naming: byRound }, repeat),
    scenario('no round id, same request id', 'silent', { naming: byRequest }, repeat),
    scenario(
      'same round id, endGame with a win',
      'late',
      { naming: byRound, endGame: true, winAmount: WIN },
      repeat,
    ),
    scenario('a new round with closeOpenGame', 'silent', { naming: byRound }, async (seat, _start, look) => {
      const info = await look();
      await startAnother(stack, seat);
      return info;
    }),
  ];
}

type Closing = (seat: Seat, gameRound: string, key: string) => Promise<Answer>;

const CLOSINGS: Record<'end' | 'addWin with collect' | 'collectWin', Closing> = {
  end: (seat, gameRound, key) => seat.end(gameRound, { transactionId: key }),
  'addWin with collect': (seat, gameRound, key) =>
    seat.win(gameRound, { winAmount: WIN, collect: true, transactionId: key }),
  collectWin: (seat, gameRound, key) => seat.collect(gameRound, { transactionId: key }),
};

function creditScenarios(stack: E2eStack, when: When): Scenario[] {
  const scenario = (command: keyof typeof CLOSINGS, key: 'same' | 'other', wallet: Wallet): Scenario => ({
    moment: momentOf('credit', when),
    name: `${command}, ${key} key, wallet ${wallet}`,
    prepare: async () => {
      const seat = await takeSeat(stack, { operatorId: 'op-credit' });
      const gameRound = await seat.open({ winAmount: command === 'addWin with collect' ? 0 : WIN });
      const caught = await catchCall(stack, seat.playerId, seat.operatorId, { type: 'credit', when, wallet });
      const close = CLOSINGS[command];
      const lost = lostCall(() => close(seat, gameRound, 'the-key'));
      const recover = async (): Promise<void> => {
        if (key === 'same') await insist(() => close(seat, gameRound, 'the-key'));
        // A win under another key would be another win, so a provider asks for the round's info first, and then ends the
        // round (docs/interface#lost-reply).
        else if (command === 'addWin with collect') await insist(() => seat.info({ gameRound }));
        else await insist(() => close(seat, gameRound, 'another-key'));
        await finish(seat, gameRound);
        judgePaid(await booksAtRest(stack, gameRound));
        await lost.over();
        await playNext(stack, seat);
      };
      return { playerId: seat.playerId, strike: () => lost.sentAnd(caught), recover };
    },
  });
  return [
    scenario('end', 'same', 'silent'),
    scenario('end', 'other', 'late'),
    scenario('addWin with collect', 'same', 'late'),
    scenario('addWin with collect', 'other', 'silent'),
    scenario('collectWin', 'same', 'silent'),
    scenario('collectWin', 'other', 'late'),
  ];
}

function voidScenarios(stack: E2eStack, when: When): Scenario[] {
  const scenario = (
    name: string,
    wallet: Wallet,
    again: (seat: Seat, gameRound: string, requestId: string) => Promise<void>,
  ): Scenario => ({
    moment: momentOf('void', when),
    name: `${name}, wallet ${wallet}`,
    prepare: async () => {
      const seat = await takeSeat(stack, { operatorId: 'op-void' });
      const gameRound = await seat.open({ winAmount: WIN });
      const caught = await catchCall(stack, seat.playerId, seat.operatorId, { type: 'void', when, wallet });
      const requestId = newRoundId();
      const lost = lostCall(() => seat.void(gameRound, { requestId }));
      const recover = async (): Promise<void> => {
        await again(seat, gameRound, requestId);
        const { record, ledger } = await booksAtRest(stack, gameRound);
        expect(record).toMatchObject({ status: 'cancel', totalBetAmount: 0, totalWinAmount: 0 });
        expect(moves(ledger)).toEqual({ debit: 1, void: 1 });
        await lost.over();
        await playNext(stack, seat);
      };
      return { playerId: seat.playerId, strike: () => lost.sentAnd(caught), recover };
    },
  });
  return [
    scenario('same request id', 'silent', async (seat, gameRound, requestId) => {
      expect(told(await insist(() => seat.void(gameRound, { requestId })))).toMatch(CANCELLED);
    }),
    scenario('other request id', 'late', async (seat, gameRound) => {
      expect(told(await insist(() => seat.void(gameRound)))).toMatch(CANCELLED);
    }),
    scenario('a new round with closeOpenGame', 'silent', (seat) => startAnother(stack, seat)),
  ];
}

/** The call that the kill interrupts. It may be answered or not, but not with an internal error. */
function lostCall(send: () => Promise<Answer>): {
  sentAnd(caught: () => Promise<void>): Promise<void>;
  over(): Promise<void>;
} {
  let sent: Promise<Answer | NoAnswer> = Promise.resolve(new NoAnswer('not sent'));
  return {
    sentAnd: (caught) => {
      sent = send().catch((error: unknown) => {
        if (error instanceof NoAnswer) return error;
        throw error;
      });
      return caught();
    },
    over: async () => {
      const answer = await sent;
      if (!(answer instanceof NoAnswer)) expect(answer.status).not.toBe(500);
    },
  };
}

/** Cleans up a round that getGameRoundInfo shows as open (docs/interface#end-game-round). */
async function finish(seat: Seat, gameRound: string): Promise<void> {
  const info = await insist(() => seat.info({ gameRound }));
  expect(info.status).toBe(200);
  if (info.body.gameRoundInfo?.status !== 'open') return;
  const ended = await insist(() => seat.end(gameRound, { transactionId: 'clean-up' }));
  expect(told(ended)).toMatch(CLOSED);
}

/** Starts a new round that closes the open one, and plays it to its end. */
async function startAnother(stack: E2eStack, seat: Seat): Promise<void> {
  const request = { roundId: newRoundId(), closeOpenGame: true };
  const started = await insist(() => seat.start(request));
  expect(told(started)).toBe('200 open');
  await finish(seat, roundOf(started));
  const { ledger } = await booksAtRest(stack, roundOf(started));
  expect(moves(ledger)).toEqual({ debit: 1, end: 1 });
}

/** Plays the player's next round, without faults. */
async function playNext(stack: E2eStack, seat: Seat): Promise<void> {
  const start = (): Promise<Answer> => {
    const request = { roundId: newRoundId(), winAmount: 100 };
    return insist(() => seat.start(request));
  };
  // A wallet that did not respond to several bets counts as failing for some seconds, so the next bet is not sent.
  const started = await until(start, (answer) => told(answer) !== '502 WALLETUNAVAILABLE cancel');
  expect(told(started)).toBe('200 open');
  expect(told(await insist(() => seat.end(roundOf(started), { transactionId: 'end' })))).toMatch(CLOSED);
  expect((await booksAtRest(stack, roundOf(started))).ledger.net).toBe(100 - STAKE);
}

/** Checks that the win was paid once and the round is closed. */
function judgePaid({ record, ledger }: Books): void {
  expect(record).toMatchObject({
    status: 'closed',
    totalBetAmount: STAKE,
    totalWinAmount: WIN,
    attention: [],
  });
  expect(moves(ledger)).toEqual({ debit: 1, credit: 1, end: 1 });
}

/** Checks that the bet was taken once and the round is closed, or that the round is cancelled and moved no money. */
function judgeBet({ record, ledger }: Books, winAmount: number): void {
  expect(record.status).toMatch(/^(closed|cancel)$/);
  expect(record.crashed).toBeUndefined();
  expect(ledger.net).toBe(record.status === 'closed' ? winAmount - STAKE : 0);
}
