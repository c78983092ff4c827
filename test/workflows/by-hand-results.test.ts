import type { Activities } from '../../activities';
import { finished, playerOf } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A person completes an activity by hand with any value (docs/interface#by-hand). */

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none', answers: 'apart' });
});

afterAll(async () => {
  await harness?.stop();
});

test('a write of the record that a person completes by hand is made again', async () => {
  const player = playerOf(harness);
  let byHand = 0;
  const project: Activities['project'] = (...args) =>
    (byHand += 1) > 2 ? harness.activities.project(...args) : Promise.resolve(null as never);
  const worker = await harness.startWorker({ ...harness.activities, project });
  const hash = await player.open({ winAmount: 100 });
  expect(await player.win(hash, { winAmount: 200 })).toMatchObject({ amountToCollect: 300 });
  expect(await player.end(hash)).toMatchObject({ amountCredited: 300 });
  await finished(harness, hash);
  expect(byHand).toBeGreaterThan(2);
  expect((await harness.rounds.find(hash))?.status).toBe('closed');
  await worker.stop();
});
