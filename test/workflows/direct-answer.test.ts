import { randomUUID } from 'node:crypto';
import type { AnswerDependencies } from '../../activities/answers';
import type { LocalWorker } from '../../src/commands/local-worker';
import { createWaitingCalls, type WaitingCalls } from '../../src/contracts/waiting-calls';
import { agreedBooks, finished, playerOf, refused, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A caller in the worker's own process is answered by the activity that ends its command (docs/decisions.md). */

/** A slow machine must not turn a direct answer into one by the update. */
const NEVER_MS = 60_000;

let harness: RoundsHarness | undefined;

async function start(
  answers: Partial<AnswerDependencies> & Pick<LocalWorker, 'askAfterMs'>,
): Promise<RoundsHarness> {
  return (harness = await startRounds({ answers: { askAfterMs: NEVER_MS, ...answers } }));
}

afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

/** Waiting calls that note what is handed to them. */
function noted(): WaitingCalls & {
  answered: string[];
  before(look: () => Promise<void>): void;
  looks: Promise<void>[];
} {
  const calls = createWaitingCalls();
  const answered: string[] = [];
  const looks: Promise<void>[] = [];
  let before = (): Promise<void> => Promise.resolve();
  return {
    ...calls,
    answered,
    looks,
    before: (look) => (before = look),
    answer(call, reply) {
      answered.push(reply.gameRoundInfo.status);
      looks.push(before().then(() => calls.answer(call, reply)));
    },
  };
}

async function eventNames(of: RoundsHarness, gameround: string): Promise<string[]> {
  const { events } = await of.handle(gameround).fetchHistory();
  return (events ?? []).map(
    (event) => Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '',
  );
}

test('a losing spin takes at most 12 events, a winning one 18, and no update', async () => {
  const waitingCalls = noted();
  const rounds = await start({ waitingCalls });
  const player = playerOf(rounds);
  for (const [winAmount, most] of [
    [0, 12],
    [700, 18],
  ] as const) {
    const reply = await player.start({ endGame: true, winAmount });
    expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: winAmount });
    const { hash } = reply.gameRoundInfo;
    await finished(rounds, hash);
    const names = await eventNames(rounds, hash);
    expect(names.filter((name) => name.includes('Update'))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(most);
  }
  expect(waitingCalls.answered).toEqual(['closed', 'closed']);
});

test('a losing spin makes three operations in MongoDB, a winning one four, the read of a closed round one', async () => {
  const rounds = await start({});
  const player = playerOf(rounds);
  const operations = async (run: () => Promise<unknown>): Promise<unknown[]> => {
    await rounds.db.command({ profile: 2 });
    await run();
    await rounds.db.command({ profile: 0 });
    const profile = rounds.db.collection('system.profile');
    const seen = await profile.find({ ns: rounds.rounds.collection.namespace }).toArray();
    await profile.drop();
    return seen.map(({ op }) => op as unknown);
  };
  const spin = (winAmount: number) => () => player.start({ endGame: true, winAmount });
  // Take the guard of a new round, confirm it, write the record.
  expect(await operations(spin(0))).toEqual(['insert', 'command', 'update']);
  // Before the credit, the record is compared.
  expect(await operations(spin(700))).toEqual(['insert', 'command', 'query', 'update']);
  const { gameRoundInfo } = await player.start({ endGame: true });
  expect(await operations(() => rounds.commands.describeRound(gameRoundInfo.hash))).toEqual(['query']);
});

test('start, addWin and endGameRound take at most 32 events in all', async () => {
  const rounds = await start({});
  const player = playerOf(rounds);
  const hash = await player.open();
  expect(await player.win(hash, { winAmount: 700 })).toMatchObject({ amountToCollect: 700 });
  expect(await player.end(hash)).toMatchObject({ amountCredited: 700, gameRoundInfo: { status: 'closed' } });
  await finished(rounds, hash);
  const names = await eventNames(rounds, hash);
  expect(names.filter((name) => name.includes('Update'))).toEqual([]);
  expect(names.length).toBeLessThanOrEqual(32);
});

test('what no activity answers is answered at once all the same', async () => {
  const rounds = await start({});
  const player = playerOf(rounds);
  const hash = await player.open();
  const first = await player.win(hash, { winAmount: 700, transactionId: 'one' });
  expect(await player.win(hash, { winAmount: 700, transactionId: 'one' })).toEqual(first);
  expect(await refused(player.win(hash, { winAmount: 5, transactionId: 'one' }))).toBe(
    '400 IDEMPOTENCYMISMATCH',
  );
  await player.end(hash, 'end');
  expect(await refused(player.win(hash, { winAmount: 5 }))).toBe('400 GAMEROUNDNOTACTIVE');
});

test('when a caller is answered, its record is written and the outcome is in the history', async () => {
  const waitingCalls = noted();
  const rounds = await start({ waitingCalls });
  const player = playerOf(rounds);
  const hash = await player.open();
  const seen: [number, number][] = [];
  waitingCalls.before(async () => {
    const names = await eventNames(rounds, hash);
    const record = await rounds.rounds.find(hash);
    seen.push([
      names.filter((name) => name.includes('TaskCompleted') && name.includes('activity')).length,
      record?.amountToCollect ?? -1,
    ]);
  });
  await player.win(hash, { winAmount: 300 });
  await player.end(hash);
  await Promise.all(waitingCalls.looks);
  // The bet, the win, the credit with the end.
  expect(seen).toEqual([
    [2, 300],
    [3, 0],
  ]);
});

test('a caller is answered by the update when the server does not take the result from the activity', async () => {
  const waitingCalls = noted();
  const rounds = await start({
    waitingCalls,
    askAfterMs: 100,
    complete: () => Promise.reject(new Error('not taken')),
  });
  const player = playerOf(rounds);
  const reply = await player.start({ endGame: true, winAmount: 700 });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 700 });
  expect(waitingCalls.answered).toEqual([]);
  await agreedBooks(rounds, reply.gameRoundInfo.hash);
});

test('a repeat of a call that was answered directly gets the same reply', async () => {
  const rounds = await start({});
  const player = playerOf(rounds);
  const roundId = randomUUID();
  const first = await player.start({ roundId });
  const again = await player.start({ roundId });
  expect({ ...again, isRepeat: undefined }).toEqual({ ...first, isRepeat: undefined });
});

describe('between an answer and the task in which the workflow takes the outcome in', () => {
  const LATE_MS = 400;
  const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };
  let rounds: RoundsHarness;
  let player: Player;

  beforeEach(async () => {
    // As if the server took its time: the caller has its answer well before the workflow has the outcome.
    const complete: AnswerDependencies['complete'] = (taskToken, result) => {
      setTimeout(
        () => void rounds.client.activity.complete(taskToken, result).catch(() => undefined),
        LATE_MS,
      );
      return Promise.resolve();
    };
    rounds = await start({ complete, askAfterMs: 3 * LATE_MS });
    player = playerOf(rounds);
  });
  afterEach(() => new Promise((resolve) => setTimeout(resolve, LATE_MS)));

  test('the round stands as its caller was told', async () => {
    const hash = await player.open({ winAmount: 40 });
    expect(await rounds.commands.describeRound(hash)).toMatchObject({ status: 'open', amountToCollect: 40 });
    await player.win(hash, { winAmount: 60 });
    expect(await rounds.commands.describeRound(hash)).toMatchObject({ amountToCollect: 100 });
    expect(await player.end(hash)).toMatchObject({ amountCredited: 100 });
    expect(await rounds.commands.describeRound(hash)).toMatchObject({ status: 'closed', amountToCollect: 0 });
    expect(await refused(player.win(hash, { winAmount: 1 }))).toBe('400 GAMEROUNDNOTACTIVE');
  });

  test('a second void is refused', async () => {
    const hash = await player.open();
    expect(await player.void(hash)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
    expect(await refused(player.void(hash))).toBe('400 GAMEROUNDNOTACTIVE');
  });

  test('another round starts after the one before was closed for it, or was refused for good', async () => {
    await player.open({ winAmount: 40 });
    const next = await player.start({ closeOpenGame: true });
    expect([next.gameRoundInfo.status, next.refusal]).toEqual(['open', undefined]);
    const own = { playerId: player.session.playerId };
    await rounds.fault({ fault: 'status', status: 400, errorCode: OWN, match: { type: 'credit', ...own } });
    await player.win(next.gameRoundInfo.hash, { winAmount: 5 });
    const third = await player.start({ closeOpenGame: true });
    expect([third.gameRoundInfo.status, third.refusal]).toEqual(['open', undefined]);
    expect(await player.end(third.gameRoundInfo.hash)).toMatchObject({ gameRoundInfo: { status: 'closed' } });
    expect((await player.start()).gameRoundInfo.status).toBe('open');
  });
});
