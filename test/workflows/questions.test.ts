import { createRoundClient } from '../../src/commands/round-client';
import { playerOf, until } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* How a running round is asked how it stands: by updates that are refused with the answer (docs/decisions.md). */

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none' });
});

afterAll(async () => {
  await harness?.stop();
});

test('questions that pile up while no worker is there end nothing', async () => {
  let worker = await harness.startWorker();
  const player = playerOf(harness);
  const hash = await player.open();
  const betData = { reel: 'x'.repeat(16_000) };
  for (let step = 0; step < 32; step += 1) await player.win(hash, { winAmount: 1, betData });
  await worker.stop();
  const client = createRoundClient(harness.client, harness.taskQueue);
  // The server keeps the questions of those who don't wait any more, and answers all of them with one task.
  for (let count = 0; count < 10; count += 1) {
    await client.state(hash, performance.now() + 500).catch(() => undefined);
  }
  worker = await harness.startWorker();
  const ended = await until(
    () => player.end(hash, 'end').catch(() => undefined),
    (reply) => reply !== undefined,
    30_000,
  );
  expect(ended).toMatchObject({ amountCredited: 32, gameRoundInfo: { status: 'closed' } });
  await worker.stop();
});
