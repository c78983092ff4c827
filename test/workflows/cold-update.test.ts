import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { compiledWith, NEXT_WORKFLOWS } from '../../chaos/sources';
import { COMMANDS } from '../../src/contracts/gameround';
import { playerOf } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';
import { until } from '../support/until';

/*
 * A worker that takes a round over gets the last task without events and the task of an update as one. With SDK 1.24
 * alone, the update comes before the older events, and a later replay has them in the right order. The next workflow code
 * waits in each command, so that the two orders leave other events.
 */

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none', answers: 'apart' });
});
afterAll(() => harness?.stop());

test('an update that joins a command refused by another worker leaves a history that replays', async () => {
  const bundlePath = join(await compiledWith(NEXT_WORKFLOWS), 'worker', 'workflow-bundle.js');
  const first = await harness.startWorker(undefined, bundlePath);
  const player = playerOf(harness);
  const hash = await player.open();
  await player.win(hash, { winAmount: 50, collect: false });
  await player.collect(hash, 20);
  const round = harness.handle(hash);
  const voiding = { type: 'void', reason: 'voidGameRound' } as const;
  const eventCount = async (): Promise<number> => (await round.fetchHistory()).events?.length ?? 0;
  const taskDone = (from: number): Promise<unknown> =>
    until(
      async () => (await round.fetchHistory()).events ?? [],
      (events) =>
        events.length > from &&
        events.at(-1)?.workflowTaskCompletedEventAttributes?.startedEventId !== undefined,
    );
  // A void after a paid win is refused, here after the step of the next code. The repeat and the refusal leave no events.
  const before = await eventCount();
  await round.signal(COMMANDS.void.signal, voiding, undefined, 'call 1');
  await until(eventCount, (count) => count > before + 3);
  const waiting = await eventCount();
  await round.signal(COMMANDS.void.signal, voiding, undefined, 'call 2');
  await taskDone(waiting);
  const joined = await eventCount();
  await taskDone(joined);
  await first.stop();

  const asked = ['call 1', 'call 2'].map((call) =>
    round.executeUpdate(COMMANDS.void.update, { args: [voiding, undefined, call] }),
  );
  // They are on their way to a worker: nothing else shows that.
  await sleep(1_000);
  const second = await harness.startWorker(undefined, bundlePath);
  try {
    for (const reply of await Promise.all(asked))
      expect(reply).toMatchObject({ refusal: { errorCode: { msg: 'CREDITALREADYPROCESSED' } } });
    await Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath } }, await round.fetchHistory());
  } finally {
    await second.stop();
  }
});
