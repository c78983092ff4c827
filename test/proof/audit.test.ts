import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import { audit, type Audited, type AuditPorts, type Finding } from '../../proof/audit';
import type { Options } from '../../proof/command';
import { auditPorts, missingRounds, roundsIn, type Evidence } from '../../proof/evidence';
import { exportRun } from '../../proof/export';
import { rebuild, type Rebuilt } from '../../proof/rebuild';
import { tableOf } from '../../proof/report';
import { createPayloadCodec } from '../../src/payloads/codec';
import { dataConverterOf } from '../../src/payloads/data-converter';
import type { PayloadKeys } from '../../src/payloads/keys';
import { createGuards } from '../../src/read-model/guards';
import { ensureRoundIndexes } from '../../src/read-model/rounds';
import { agreedBooks, finished, playerOf, refused, until, type Player } from '../support/player';
import {
  FOLLOW_UP_GAME,
  required,
  runWorker,
  startRounds,
  type RoundsHarness,
} from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';
import { recorded } from './support';

/* `npm run audit` and `npm run rebuild` over rounds on a real Temporal, whose payloads are encrypted. */

const KEYS: PayloadKeys = { keys: [{ id: 'k1', secret: Buffer.alloc(32, 5) }], readKeys: [] };
const REFUSED = { fault: 'status', status: 400, errorCode: { id: 4711, msg: 'LIMIT', clientmsg: '' } };

let harness: RoundsHarness;
let worker: { client: Client; stop(): Promise<void> };
let codePath: string;

beforeAll(async () => {
  codePath = await workflowBundle('plain', undefined, 'replay');
  const dataConverter = dataConverterOf(KEYS);
  harness = await startRounds({ worker: 'none', dataConverter, walletTimeoutMs: 500 });
  const { taskQueue, activities } = harness;
  const address = required('TEST_TEMPORAL_ADDRESS');
  worker = await runWorker({ address, namespace: 'default', taskQueue, activities, payloads: KEYS });
}, 60_000);

afterAll(async () => {
  await worker?.stop();
  await harness?.stop();
});

/** Plays a round of each kind. Returns the hashes by kind. */
async function playAll(): Promise<Record<string, string>> {
  const as = async (
    play: (player: Player) => Promise<string>,
    faults: [string, ...object[]] | [] = [],
    gameCode = 'demo-slot',
  ): Promise<string> => {
    const player = playerOf(harness, { gameCode });
    const [type, ...all] = faults;
    for (const fault of all)
      await harness.fault({ ...fault, match: { type, playerId: player.session.playerId } });
    return play(player);
  };
  const spin = async (player: Player, winAmount?: number): Promise<string> =>
    (await player.start({ endGame: true, winAmount })).gameRoundInfo.hash;
  const ended = async (player: Player, hash: string): Promise<string> => {
    await player.end(hash);
    return hash;
  };
  const hashes = {
    lost: await as((player) => spin(player)),
    won: await as((player) => spin(player, 700)),
    collected: await as(async (player) => {
      const hash = await player.open({ winAmount: 5 });
      await player.win(hash, { winAmount: 300 });
      await player.collect(hash, 100);
      return ended(player, hash);
    }),
    declined: await as((player) => spin(player), ['debit', REFUSED]),
    unknown: await as((player) => spin(player), ['debit', { fault: 'dropReply' }]),
    retried: await as(
      async (player) => ended(player, await player.open({ winAmount: 40 })),
      ['credit', { fault: 'dropReply' }],
    ),
    voided: await as(async (player) => {
      const hash = await player.open();
      await player.void(hash);
      return hash;
    }),
    followed: await as(
      async (player) => {
        const hash = await player.open({ roundId: 'r', rngCallId: 'a' });
        await player.start({ roundId: 'r', rngCallId: 'b', winAmount: 3 });
        return ended(player, hash);
      },
      [],
      FOLLOW_UP_GAME,
    ),
  };
  for (const hash of Object.values(hashes)) await finished(harness, hash);
  return {
    ...hashes,
    crashed: await as(async (player) => {
      const hash = await player.open({ winAmount: 40 });
      await player.collect(hash, 10);
      await harness.fault({ ...REFUSED, match: { type: 'credit', playerId: player.session.playerId } });
      return ended(player, hash);
    }),
  };
}

function evidence(taskQueue = harness.taskQueue): Evidence {
  const { client, rounds } = harness;
  return { client, codec: createPayloadCodec(KEYS), rounds, environment: 'test', taskQueue };
}

async function audited(
  options: Options = {},
  from = evidence(),
  change: Partial<AuditPorts> = {},
): Promise<Audited & { all: Record<string, Finding> }> {
  const all: Record<string, Finding> = {};
  const replay = { codePath, dataConverter: dataConverterOf(KEYS) };
  const ports = { ...(await auditPorts(from, options)), ...change };
  const found = (finding: Finding): void => void (all[finding.gameround] = finding);
  return { ...(await audit({ ...ports, replay, found, step: () => undefined })), all };
}

async function rebuilt(options: Options = {}, from = evidence()): Promise<Rebuilt> {
  const ports = { rounds: harness.rounds, guards: createGuards(harness.db) };
  await ensureRoundIndexes(harness.rounds);
  const quiet = { found: () => undefined, step: () => undefined };
  return rebuild({ ...ports, ...quiet, runs: missingRounds(from, options) });
}

/** As a person resets a workflow: it repeats its newest wallet call. */
async function reset(gameround: string): Promise<void> {
  const handle = harness.handle(gameround);
  const { runId } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const scheduled = events?.findLast((one) => one.activityTaskScheduledEventAttributes);
  await harness.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: handle.workflowId, runId },
    workflowTaskFinishEventId: scheduled?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId,
    ...{ requestId: randomUUID(), reason: 'test' },
  });
  await finished(harness, gameround);
}

test('rounds of every kind: the audit is clean, names each changed record, and is clean again after a rebuild; play goes on', async () => {
  const hashes = await playAll();
  const player = playerOf(harness);
  const open = await player.open({ winAmount: 12 });
  await until(
    () => harness.rounds.find(hashes['crashed']!),
    (record) => record?.crashed === true,
  );
  await reset(hashes['collected']!);
  const clean = await audited();
  expect(clean.all).toEqual({});
  expect(clean).toMatchObject({ rounds: 10, findings: 0, inProgress: 0, expired: 0 });
  // Debits: lost, won, collected, retried, voided, crashed, open: 250 each; followed: 500. The unknown debit's reply was lost.
  const total = {
    operator: 'op1',
    currency: 'EUR',
    debits: 2_250n,
    voids: 250n,
    credits: 700n + 305n + 40n + 3n + 10n,
  };
  expect(clean.histories.get('op1#EUR')).toMatchObject(total);
  expect(clean.records).toEqual(clean.histories);
  expect(tableOf(clean)).toContain('2250');
  expect((await audited({ operator: 'op2' })).rounds).toBe(0);

  const { collection } = harness.rounds;
  const { snapshot } = (await collection.findOne({ _id: hashes['won']! }))!;
  await collection.updateOne({ _id: hashes['lost']! }, { $set: { status: 'open' } });
  await collection.updateOne(
    { _id: hashes['won']! },
    { $set: { snapshot: snapshot.replace('"amount":700', '"amount":70') } },
  );
  await collection.deleteOne({ _id: hashes['voided']! });
  const other = (await collection.findOne({ _id: hashes['retried']! }))!;
  await collection.insertOne({ ...other, _id: 'invented' });
  const changed = await audited();
  expect(changed.all).toEqual({
    [hashes['lost']!]: {
      ...{
        gameround: hashes['lost'],
        kind: 'differs',
        reasons: ['status: history "closed", MongoDB "open"'],
      },
      fields: [{ path: 'status', expected: 'closed', found: 'open' }],
    },
    [hashes['won']!]: expect.objectContaining({
      kind: 'differs',
      reasons: ['snapshot.transactions[1].amount: history 700, MongoDB 70'],
    }) as object,
    [hashes['voided']!]: expect.objectContaining({ kind: 'no-record' }) as object,
    invented: expect.objectContaining({ kind: 'no-workflow' }) as object,
  });
  expect(changed.findings).toBe(4);
  expect(changed.records.get('op1#EUR')).toMatchObject({ credits: total.credits - 630n });

  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  for await (const run of roundsIn(evidence(), {})) await exportRun(folder, run);
  await harness.db.dropDatabase();
  // From the files alone.
  const elsewhere = evidence('a server without these rounds');
  expect(await rebuilt({ dir: folder }, elsewhere)).toMatchObject({ guards: 1, findings: 0 });
  expect(await audited({ dir: folder }, elsewhere)).toMatchObject({ rounds: 10, all: {} });
  await rm(folder, { recursive: true });
  await harness.db.dropDatabase();
  const all = { ...hashes, open };
  const first = await rebuilt();
  expect(first).toEqual({ records: 10, guards: 1, findings: 0 });
  expect((await audited()).all).toEqual({});
  // What is missing is written, what is there stays.
  await collection.deleteMany({ _id: { $in: [hashes['won']!, open] } });
  expect(await rebuilt()).toEqual({ records: 2, guards: 1, findings: 0 });
  expect(await collection.countDocuments()).toBe(Object.keys(all).length);

  expect(await refused(player.start())).toBe('400 GAMEROUNDALREADYSTARTED');
  await player.win(open, { winAmount: 30 });
  const { gameRoundInfo, amountCredited } = await player.end(open);
  expect([gameRoundInfo.status, amountCredited]).toEqual(['closed', 42]);
  await finished(harness, open);
  await agreedBooks(harness, open);
  const after = await audited();
  expect(after.all).toEqual({});
  expect(after.histories.get('op1#EUR')).toMatchObject({ credits: total.credits + 42n });
}, 120_000);

test('a round that Temporal has deleted is rebuilt and audited from its exported history', async () => {
  await harness.db.dropDatabase();
  const elsewhere = evidence('a server without this round');
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const file = join(folder, 'spin.json.gz');
  const zipped = gzipSync(await recorded('spin-won'));
  await writeFile(file, zipped);
  const options = { dir: folder };
  expect(await rebuilt(options, elsewhere)).toEqual({ records: 1, guards: 0, findings: 0 });
  const { _id } = (await harness.rounds.collection.findOne({}))!;
  expect(await audited(options, elsewhere)).toMatchObject({ rounds: 1, all: {} });
  expect((await audited({}, elsewhere, { keptSince: new Date(0) })).all[_id]?.kind).toBe('no-workflow');
  expect(await audited({}, elsewhere, { keptSince: new Date() })).toMatchObject({ expired: 1, findings: 0 });
  await writeFile(file, zipped.subarray(0, -9));
  const damaged = await audited(options, elsewhere, { keptSince: new Date() });
  expect(damaged.all['spin.json.gz']?.reasons.join()).toContain("can't be read");
  await rm(folder, { recursive: true });
});
