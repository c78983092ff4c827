import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger } from '@temporalio/worker';
import type { Mark } from '../../src/domain/round/types';
import { createMetrics } from '../../src/metrics';
import { ensureRoundIndexes } from '../../src/read-model/rounds';
import { finished, playerOf, refused, until } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* Whoever runs the service hears of a round that waits: by its log and by its measures. */

jest.setTimeout(60_000);

let harness: RoundsHarness;
const lines: { message: string; mark: unknown; operatorId: unknown; gameround: unknown }[] = [];
const logger = new DefaultLogger('WARN', ({ message, meta }) => {
  const { mark, operatorId, gameround } = (meta ?? {}) as Record<string, unknown>;
  lines.push({ message, mark, operatorId, gameround });
});

beforeAll(async () => {
  harness = await startRounds({ logger, worker: 'none' });
  await ensureRoundIndexes(harness.rounds);
});
afterAll(() => harness?.stop());

const linesOf = (hash: string) => lines.filter(({ gameround }) => gameround === hash);

async function measured(): Promise<string[]> {
  const metrics = createMetrics({ defaults: false });
  metrics.measureWaiting(() => harness.rounds.waiting());
  const { text } = await metrics.exposition();
  return text.split('\n').filter((line) => /^gameround_(rounds|oldest)_waiting/.test(line));
}

test('a mark that comes and goes: a warning each, also across a replay; counted by mark and operator meanwhile', async () => {
  const worker = await harness.startWorker();
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 700 });
  expect(await measured()).toEqual([]);
  await harness.fault({
    ...{ fault: 'status', status: 503, times: 1_000 },
    match: { type: 'credit', playerId: player.session.playerId },
  });
  await refused(player.end(hash));
  await until(
    () => measured(),
    (seen) => seen.length > 0,
  );
  const came = { message: 'a round waits', mark: 'credit-pending', operatorId: 'op1', gameround: hash };
  expect(linesOf(hash)).toEqual([came]);

  // Another worker carries the round out from its beginning.
  await worker.stop();
  const other = await harness.startWorker();
  await harness.handle(hash).query('state');
  expect(linesOf(hash)).toEqual([came]);
  const [rounds, oldest] = await measured();
  expect(rounds).toBe('gameround_rounds_waiting{mark="credit-pending",operator="op1"} 1');
  expect(oldest).toMatch(/^gameround_oldest_waiting_seconds\{mark="credit-pending"\} \d/);

  await harness.clearFaults();
  await finished(harness, hash);
  expect(linesOf(hash)).toEqual([came, { ...came, message: 'a round waits no more' }]);
  expect(await measured()).toEqual([]);
  await other.stop();
});

test('a mark is as old as its first record, however often it is written', async () => {
  const { rounds } = harness;
  const worker = await harness.startWorker();
  const hash = await playerOf(harness).open();
  await worker.stop();
  const { identity, ...opened } = (await rounds.recorded(hash))!.snapshot;
  const attention: Mark[] = ['credit-pending'];
  const snapshot = { ...opened, identity: { ...identity, gameround: 'another' }, attention };
  const since = async () => (await rounds.collection.findOne({ _id: 'another' }))?.waiting;
  await rounds.write(snapshot, 1);
  const first = await since();
  await sleep(20);
  await rounds.write({ ...snapshot, attention: ['crashed', ...snapshot.attention] }, 2);
  expect(await since()).toEqual([{ mark: 'crashed', since: expect.any(Date) as Date }, ...first!]);
  await rounds.write({ ...snapshot, attention: [] }, 3);
  expect(await since()).toBeUndefined();
});

test('what is measured is read by an index that holds waiting rounds only', async () => {
  const { queryPlanner } = await harness.rounds.collection
    .find({ waiting: { $exists: true } })
    .hint('waiting')
    .explain('queryPlanner');
  expect(JSON.stringify(queryPlanner)).toContain('"IXSCAN"');
});
