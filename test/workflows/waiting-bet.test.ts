import { setTimeout as sleep } from 'node:timers/promises';
import { heartbeat } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { BET_AGE_MS } from '../../src/contracts/activities';
import { playerOf } from '../support/player';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';
import { until } from '../support/until';
import { workflowBundle } from '../support/workflow-bundle';

/*
 * A follow-up bet waits behind a wallet call until it is too old to be sent. While it waits, a read of the state may leave a
 * task without events in the history. A replay with SDK 1.24 carries out the tasks without events as one, at the time of
 * the last. The bet must be as old in the replay as it was.
 */

type History = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>>;
type HistoryEvent = NonNullable<History['events']>[number];
/** An id or a time in the history. */
interface Int64 {
  toNumber(): number;
  add(other: number): Int64;
}

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none', answers: 'apart' });
});
afterAll(() => harness?.stop());

const EVENT_IDS = /^(?:.*[eE]ventId|acceptedRequestSequencingEventId)$/;

const isInt64 = (value: unknown): value is Int64 =>
  typeof value === 'object' && value !== null && 'toNumber' in value;

/** The value with each event id after `from` raised by `by`. */
function moved(value: unknown, from: number, by: number): unknown {
  if (Array.isArray(value)) return value.map((one) => moved(one, from, by));
  if (typeof value !== 'object' || value === null || isInt64(value) || value instanceof Uint8Array)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [
      name,
      EVENT_IDS.test(name) && isInt64(one) && one.toNumber() > from ? one.add(by) : moved(one, from, by),
    ]),
  );
}

/** The history with one more task without events, so long after its first `length` events. */
function withIdleTask(events: HistoryEvent[], length: number, laterSeconds: number): HistoryEvent[] {
  const last = (events[length - 1] as { eventId: Int64 }).eventId;
  const time = events[length - 1]!.eventTime as unknown as { seconds: Int64; nanos: number };
  const [scheduled, started, completed] = ['Scheduled', 'Started', 'Completed'].map((what) =>
    events.find((event) => event[`workflowTask${what}EventAttributes` as keyof HistoryEvent]),
  );
  const eventTime = { ...time, seconds: time.seconds.add(laterSeconds) };
  const [scheduledEventId, startedEventId, completedEventId] = [1, 2, 3].map((more) => last.add(more));
  const added = [
    { ...scheduled, eventId: scheduledEventId, eventTime },
    {
      ...{ ...started, eventId: startedEventId, eventTime },
      workflowTaskStartedEventAttributes: {
        ...started?.workflowTaskStartedEventAttributes,
        scheduledEventId,
      },
    },
    {
      ...{ ...completed, eventId: completedEventId, eventTime },
      workflowTaskCompletedEventAttributes: {
        ...completed?.workflowTaskCompletedEventAttributes,
        ...{ scheduledEventId, startedEventId },
      },
    },
  ];
  const rest = moved(events, length, added.length) as HistoryEvent[];
  return [...rest.slice(0, length), ...(added as unknown as HistoryEvent[]), ...rest.slice(length)];
}

test('a bet that was too old to be sent is as old in a replay', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let isHeld = false;
  const { activities } = harness;
  const worker = await harness.startWorker({
    ...activities,
    deliver: async (...args) => {
      const delivered = await activities.deliver(...args);
      const alive = setInterval(() => heartbeat(), 1_000);
      if (isHeld) await held;
      clearInterval(alive);
      return delivered;
    },
  });
  const player = playerOf(harness, { gameCode: FOLLOW_UP_GAME });
  const hash = await player.open({ roundId: 'r', rngCallId: 'draw-1', winAmount: 50 });
  const round = harness.handle(hash);
  const history = async (): Promise<HistoryEvent[]> => (await round.fetchHistory()).events ?? [];
  const isIdle = (events: HistoryEvent[]): boolean =>
    events.findLastIndex((event) => event.workflowTaskCompletedEventAttributes) >
    events.findLastIndex((event) => event.workflowExecutionSignaledEventAttributes);
  const signalled = async (command: 'collectWin' | 'start', input: object, call: string): Promise<number> => {
    await round.signal(command, input, undefined, call);
    return (await until(history, isIdle)).length;
  };
  isHeld = true;
  const collect = { type: 'collectWin', key: 'collect', amount: 20 };
  await signalled('collectWin', collect, 'call 1');
  await signalled('collectWin', collect, 'call 2');
  const money = { debitAmount: 100, stake: 100, currency: 'EUR', useTicket: false, winAmount: 0 };
  const bet = { type: 'start', ...money, endGame: false, rngCallId: 'draw-2' };
  const length = await signalled('start', bet, 'bet');
  await sleep(BET_AGE_MS + 500);
  release();
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.transactions.length === 3,
  );
  await worker.stop();

  const events = await history();
  const workflowBundles = { workflowBundle: { codePath: await workflowBundle() } };
  await Worker.runReplayHistory(workflowBundles, { events });
  await Worker.runReplayHistory(workflowBundles, { events: withIdleTask(events, length, 9) });
});
