import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScheduleHandle } from '@temporalio/client';
import { collect } from '../../proof/dossier/collect';
import { openArchive } from '../../src/archive';
import type { Archive } from '../../src/archive/types';
import { historySource } from '../../src/archive/export';
import { EXPORT_WORKFLOW, type Exported } from '../../src/contracts/export';
import { ensureExportSchedule } from '../../worker/schedule';
import { createLogger } from '../../src/logging';
import { finished, playerOf, until } from '../support/player';
import { startRestorable, type RestorableTemporal } from '../support/restorable';
import { startObjectStore, type ObjectStore } from '../support/object-store';
import type { RoundsHarness } from '../support/rounds-harness';
import { startProof, type ProofHarness } from './proof-harness';

/* Histories are exported before Temporal deletes them, and what is exported stays provable. */

/** A server with much else to do deletes late from its list. */
const FORGOTTEN_MS = 60_000;

/** So this one has nothing else to do. */
let temporal: RestorableTemporal;
let folder: string;
let store: ObjectStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  temporal = await startRestorable();
  store = await startObjectStore();
});

afterAll(async () => {
  await store?.stop();
  await temporal?.remove();
  await rm(folder, { recursive: true });
});

const places: [string, () => Promise<Archive>][] = [
  ['a folder', () => openArchive(folder)],
  ['an object store', () => openArchive(store.place, store.endpoint)],
];

const namesIn = async (archive: Archive, prefix = ''): Promise<string[]> => {
  const names: string[] = [];
  for await (const name of archive.list(prefix)) names.push(name);
  return names;
};

test.each(places)('%s keeps files, says which are there, and lists them by prefix', async (_, open) => {
  const archive = await open();
  const names = ['ab/x.1.json.gz', 'ab/x.2.json.gz', 'cd/y.1.json.gz'];
  expect(await namesIn(archive)).toEqual([]);
  expect(await archive.has(names[0]!)).toBe(false);
  for (const name of names) await archive.write(name, Buffer.from(name));
  await archive.write(names[0]!, Buffer.from('again'));
  expect(await archive.has(names[0]!)).toBe(true);
  expect((await archive.read(names[0]!)).toString()).toBe('again');
  expect(await namesIn(archive)).toEqual(names);
  expect(await namesIn(archive, 'ab/x.')).toEqual(names.slice(0, 2));
  expect(await namesIn(archive, 'ef/')).toEqual([]);
});

describe.each(places)('with %s', (_, open) => {
  let archive: Archive;
  let proof: ProofHarness;
  let harness: RoundsHarness;
  let schedule: ScheduleHandle;
  let isDown = false;

  beforeAll(async () => {
    const found = await open();
    archive = {
      ...found,
      write: (file, bytes) =>
        isDown ? Promise.reject(new Error('the store is down')) : found.write(file, bytes),
    };
    proof = await startProof({ archive, temporalAddress: temporal.address });
    harness = proof.harness;
    const { client, taskQueue } = harness;
    const workflow = { workflowType: EXPORT_WORKFLOW, workflowId: `export-${randomUUID()}`, taskQueue };
    schedule = await client.schedule.create({
      scheduleId: `export-${randomUUID()}`,
      spec: {},
      action: { type: 'startWorkflow', ...workflow, args: [{ lagMs: 0 }] },
    });
  });

  afterAll(async () => {
    await schedule?.delete();
    await proof?.stop();
  });

  /** Runs the schedule once. */
  async function run(): Promise<Exported> {
    const before = (await schedule.describe()).info.numActionsTaken;
    await schedule.trigger();
    const { info } = await until(
      () => schedule.describe(),
      ({ info: { numActionsTaken } }) => numActionsTaken > before,
    );
    const { workflowId, firstExecutionRunId } = info.recentActions.at(-1)!.action.workflow;
    return harness.client.workflow.getHandle(workflowId, firstExecutionRunId).result() as Promise<Exported>;
  }

  const spin = async (): Promise<string> => {
    const { hash } = (await playerOf(harness).start({ endGame: true, winAmount: 7 })).gameRoundInfo;
    await finished(harness, hash);
    return hash;
  };

  const runsOf = (hash: string): Promise<string[]> =>
    namesIn(archive, `${hash.slice(0, 2)}/gameround-${hash}.`);

  /** Temporal has deleted everything of the round. */
  async function forget(hash: string): Promise<void> {
    const { client } = harness;
    const { namespace } = client.options;
    const query = `WorkflowId IN ('gameround-${hash}', 'reconcile-${hash}')`;
    await until(
      async () => {
        for await (const { workflowId, runId } of client.workflow.list({ query })) {
          const about = { namespace, workflowExecution: { workflowId, runId } };
          await client.workflowService.deleteWorkflowExecution(about).catch(() => undefined);
        }
        return client.workflow.count(query);
      },
      ({ count }) => count === 0,
      FORGOTTEN_MS,
    );
  }

  test('a schedule exports the histories of what has ended, and goes on where it stopped', async () => {
    const open = await playerOf(harness).open();
    const first = await spin();
    const one = await run();
    expect(one.written).toBe(1);
    expect([await runsOf(first), await runsOf(open)]).toEqual([[expect.any(String)], []]);
    const second = await spin();
    isDown = true;
    setTimeout(() => (isDown = false), 2_000);
    const two = await run();
    expect(two.written).toBe(1);
    expect(await runsOf(second)).toHaveLength(1);
    expect((await run()).written).toBe(0);
    const source = historySource(harness.client, archive, harness.taskQueue);
    const { until: marked } = await run();
    expect(await source.marked()).toEqual(new Date(marked));
  });

  test('what Temporal has forgotten is audited, rebuilt, reconciled and told from its exported history', async () => {
    const lost = await spin();
    const reconciled = await spin();
    await harness.reconcile('op1', reconciled);
    await run();
    const from = { ...proof.evidence(), archive };
    const before = await proof.audited({}, from);
    for (const hash of [lost, reconciled]) await forget(hash);
    const after = await proof.audited({}, from, { keptSince: new Date() });
    expect(after).toMatchObject({ all: {}, rounds: before.rounds, expired: 0 });
    expect(after.histories).toEqual(before.histories);
    await harness.rounds.collection.updateOne({ _id: lost }, { $set: { won: 70 } });
    expect((await proof.audited({}, from)).all[lost]?.reasons).toEqual(['won: history 7, MongoDB 70']);

    await harness.rounds.collection.deleteMany({ _id: { $in: [lost, reconciled] } });
    expect(await proof.rebuilt({ hash: lost }, from)).toEqual({ records: 1, guards: 0, findings: 0 });
    expect(await harness.reconcile('op1', lost)).toMatchObject({ outcome: { kind: 'accepted' } });
    expect((await proof.rebuilt({}, from)).records).toBe(1);
    expect((await proof.audited({}, from, { keptSince: new Date() })).all).toEqual({});

    const made = { madeAt: '2026-11-29T20:00:00.000Z', madeBy: 'test' };
    const { runs, steps, round } = await collect(from, reconciled, made);
    expect(runs.map(({ run: { workflowId } }) => workflowId)).toEqual([
      `gameround-${reconciled}`,
      `reconcile-${reconciled}`,
    ]);
    expect(steps.at(-1)?.what).toContain('The operator accepts all of them');
    expect(round.agreement).toEqual(['The record in the database and the history agree in every field.']);
  }, 240_000);
});

test('a worker makes the schedule once, and leaves one that is there as it is', async () => {
  const proof = await startProof({ temporalAddress: temporal.address });
  const { client, taskQueue } = proof.harness;
  const logger = createLogger({ level: 'silent', process: 'worker' });
  const id = `export-${taskQueue}`;
  await ensureExportSchedule(client, logger, taskQueue, id);
  const handle = client.schedule.getHandle(id);
  await handle.pause('a person wants it so');
  await ensureExportSchedule(client, logger, taskQueue, id);
  const { state, spec, policies } = await handle.describe();
  expect(state).toMatchObject({ paused: true, note: 'a person wants it so' });
  expect([spec.intervals?.[0]?.every, policies.overlap]).toEqual([3_600_000, 'SKIP']);
  await handle.delete();
  await proof.stop();
});
