import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { Activities } from '../../activities';
import type { LocalWorker } from '../../src/commands/local-worker';
import type { Delivered } from '../../src/contracts/activities';
import { stateQuery, workflowIdOf } from '../../src/contracts/gameround';
import { createWaitingCalls, type WaitingCalls } from '../../src/contracts/waiting-calls';
import type { RoundReply } from '../../src/domain/round/replies';
import { finished, playerOf, refused, until, type Player } from '../support/player';
import {
  FOLLOW_UP_GAME,
  startRounds,
  type RoundsHarness,
  type RoundsOptions,
} from '../support/rounds-harness';

/* A caller in the worker's own process is answered by the activity that ends its command (docs/decisions.md). */

/** A slow machine must not turn a direct answer into one by the update. */
const NEVER_MS = 60_000;
/** Longer than the pause before an activity's second attempt. */
const SETTLED_MS = 1_500;

let harness: RoundsHarness | undefined;

async function start(
  answers: Partial<Pick<LocalWorker, 'waitingCalls' | 'askAfterMs'>>,
  more: RoundsOptions = {},
): Promise<RoundsHarness> {
  return (harness = await startRounds({ answers: { askAfterMs: NEVER_MS, ...answers }, ...more }));
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
    answer(asked, reply) {
      answered.push(reply().gameRoundInfo.status);
      looks.push(before().then(() => calls.answer(asked, reply)));
    },
  };
}

const workflowOf = (hash: string): { workflowId: string } => ({ workflowId: workflowIdOf(hash) });

async function eventNames(of: RoundsHarness, gameround: string): Promise<string[]> {
  const { events } = await of.handle(gameround).fetchHistory();
  return (events ?? []).map(
    (event) => Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '',
  );
}

test('a losing spin and a winning one take at most 12 events, and no update', async () => {
  const waitingCalls = noted();
  const rounds = await start({ waitingCalls });
  const player = playerOf(rounds);
  for (const winAmount of [0, 700]) {
    const reply = await player.start({ endGame: true, winAmount });
    expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: winAmount });
    const { hash } = reply.gameRoundInfo;
    await finished(rounds, hash);
    const names = await eventNames(rounds, hash);
    expect(names.filter((name) => name.includes('Update'))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(12);
  }
  expect(waitingCalls.answered).toEqual(['closed', 'closed']);
});

test('a losing spin makes three operations in MongoDB, a winning one four, the read of a closed round one', async () => {
  const rounds = await start({});
  const player = playerOf(rounds);
  // Of three runs the shortest: on a busy machine the activity begins late, and confirms the guard itself.
  const operations = async (run: () => Promise<unknown>): Promise<unknown[]> => {
    const seen = [await profiled(run), await profiled(run), await profiled(run)];
    return seen.sort((one, other) => one.length - other.length)[0]!;
  };
  const profiled = async (run: () => Promise<unknown>): Promise<unknown[]> => {
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
  // Before the credit, the record of the bet is written.
  expect(await operations(spin(700))).toEqual(['insert', 'command', 'update', 'update']);
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

test('when a caller is answered, its record is written, with the outcome of its wallet call', async () => {
  const waitingCalls = noted();
  const rounds = await start({ waitingCalls });
  const player = playerOf(rounds);
  const hash = await player.open();
  const seen: [string | undefined, number][] = [];
  waitingCalls.before(async () => {
    const { delivery } = (await rounds.rounds.collection.findOne({ _id: hash })) ?? {};
    const outcome = delivery === undefined ? undefined : (JSON.parse(delivery) as Delivered).result.kind;
    seen.push([outcome, (await rounds.rounds.find(hash))?.amountToCollect ?? -1]);
  });
  await player.win(hash, { winAmount: 300 });
  await player.end(hash);
  await Promise.all(waitingCalls.looks);
  // The win sends nothing; the end sends the credit.
  expect(seen).toEqual([
    [undefined, 300],
    ['accepted', 0],
  ]);
});

/** The first attempt of an activity does its work and answers its caller. Then its worker dies. */
function dying(activities: Activities): Activities {
  const died = new Set<string>();
  const once =
    <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await activity(...args);
      const { activityId, workflowExecution } = activityInfo();
      const name = `${workflowExecution?.workflowId} ${activityId}`;
      if (died.has(name)) return result;
      died.add(name);
      throw new Error('the worker died');
    };
  return {
    ...activities,
    deliver: once((...args) => activities.deliver(...args)),
    project: once((...args) => activities.project(...args)),
  };
}

describe('the worker dies after the answer and before the activity is completed', () => {
  const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

  /** A round whose first activity is over, also its second attempt. */
  async function opened(player: Player, winAmount = 0): Promise<string> {
    const hash = await player.open({ roundId: 'r', rngCallId: 'draw-1', winAmount });
    await sleep(SETTLED_MS);
    return hash;
  }

  test.each<[string, number, (player: Player) => Promise<RoundReply>]>([
    ['a losing spin', 1, (player) => player.start({ endGame: true })],
    ['a winning spin', 2, (player) => player.start({ endGame: true, winAmount: 700 })],
    ['the credit of a win', 2, async (player) => player.end(await opened(player, 700))],
    ['a void', 2, async (player) => player.void(await opened(player))],
    [
      'a follow-up bet',
      2,
      async (player) => {
        await opened(player);
        return player.start({ roundId: 'r', rngCallId: 'draw-2' });
      },
    ],
  ])('%s is not sent again, and its round stays as the caller was told', async (_, sent, play) => {
    const rounds = await start({}, { around: dying });
    const player = playerOf(rounds, { gameCode: FOLLOW_UP_GAME });
    const { gameRoundInfo } = await play(player);
    // Whatever is sent from now on comes to another end.
    const { playerId } = player.session;
    await rounds.fault({ fault: 'status', status: 400, errorCode: OWN, match: { playerId } });
    const { hash, status } = gameRoundInfo;
    const recorded = await rounds.rounds.recorded(hash);
    await sleep(SETTLED_MS);
    expect(rounds.deliveries).toHaveLength(sent);
    const state = await rounds.handle(hash).query(stateQuery);
    expect({ ...state, status }).toMatchObject({ ...recorded?.snapshot, version: recorded?.version });
    expect(await rounds.rounds.recorded(hash)).toEqual(recorded);
  });
});

test.each(['done', { result: { kind: 'unknown', reason: 'by hand' }, at: '2026-01-01T00:00:00Z' }])(
  'a person completes the activity of a bet while the credit that it has sent hangs: nothing is voided: %j',
  async (byHand) => {
    const rounds = await start({}, { walletTimeoutMs: 3_000 });
    const player = playerOf(rounds);
    const { playerId } = player.session;
    await rounds.fault({ fault: 'hang', when: 'after', match: { type: 'credit', playerId } });
    const telling = player.start({ endGame: true, winAmount: 700 });
    const hash = await until(
      async () => (await rounds.rounds.collection.findOne({ player: playerId, version: { $gt: 0 } }))?._id,
      (found) => found !== undefined,
    );
    await until(
      () => rounds.sent(hash!),
      (sent) => sent.length === 2,
    );
    await rounds.client.activity.complete({ ...workflowOf(hash!), activityId: '1' }, byHand);
    expect((await telling).refusal?.errorCode.msg).toBe('WALLETUNAVAILABLE');
    expect(await rounds.handle(hash!).query(stateQuery)).toMatchObject({ status: 'open', crashed: true });
    expect(await rounds.sent(hash!)).toEqual(['debit', 'credit+end']);
  },
);

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
    const late =
      <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
      (...args: Args): Promise<Result> =>
        activity(...args).finally(() => sleep(LATE_MS));
    rounds = await start(
      { askAfterMs: 3 * LATE_MS },
      {
        around: (own) => ({
          ...own,
          deliver: late((...args) => own.deliver(...args)),
          project: late((...args) => own.project(...args)),
        }),
      },
    );
    player = playerOf(rounds);
  });
  afterEach(() => sleep(LATE_MS));

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
