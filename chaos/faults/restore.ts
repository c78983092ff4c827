import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../stack/until';
import { nameOf } from '../checks/check';
import { callsOf, recordsOf, workflowsOf, type RecordInMongo, type WalletCall } from '../evidence';
import type { Restore, Stack, Store } from '../stack';
import type { Tools } from './tools';

/** A database is copied, and restored from the copy after a while. The other database keeps its newer data. */
export interface RestoreFault {
  name: string;
  kind: 'restore';
  store: Store;
  /** Time between the copy and the restore. */
  apartMs: number;
}

type Records = Map<string, RecordInMongo>;

/** How long late records are waited for. After that, their rounds count as in flight. */
const LATE_RECORDS_MS = 15_000;
/** Workers may still write records for activities that Temporal gave out before it was killed. */
const LAST_WRITES_MS = 500;

/** Returns for how many rounds the restored database has lost data. */
export async function restore({ store, apartMs }: RestoreFault, tools: Tools): Promise<number> {
  const { stack } = tools;
  const copy = await tools.alone(async () => {
    // Taken before the copy: changes between this time and the copy may be in the copy or not.
    const atMs = Date.now();
    await stack.kill(store);
    await sleep(LAST_WRITES_MS);
    const folder = await stack.copyStore(store);
    const records: Records =
      store === 'temporal' ? await recordsByHash(stack) : new Map<string, RecordInMongo>();
    await stack.start(store);
    return { folder, records, atMs };
  });
  await tools.pause(apartMs);
  if (tools.isOver()) return 0;
  return tools.alone(() => (store === 'temporal' ? temporalBack(tools, copy) : mongodBack(tools, copy)));
}

/** As docs/operations.md says: no process of the service runs while Temporal's database is replaced. */
async function temporalBack(
  { stack, log }: Tools,
  copy: { folder: string; records: Records; atMs: number },
): Promise<number> {
  const late = await lateRecords(stack);
  for (const part of ['api', 'worker-1', 'worker-2', 'temporal'] as const) await stack.kill(part);
  const records = await recordsByHash(stack);
  const calls = await callsOf(stack);
  await stack.putBack('temporal', copy.folder);
  await stack.start('temporal');
  const known = await until(() => workflowsOf(stack), { what: 'the workflows', timeoutMs: 30_000 });
  const restored = whatIsLost({
    ...copy,
    records,
    before: copy.records,
    calls,
    known: new Set(known.keys()),
  });
  for (const gameround of late) restored.inFlight.add(gameround);
  stack.restores.push(restored);
  for (const part of ['worker-1', 'worker-2'] as const) await stack.start(part);
  await stack.repairRecords(copy.atMs).finally(() => stack.start('api'));
  await stack.ready();
  const { moved, orphans, inFlight } = restored;
  log(
    `temporal restored: ${moved.size} newer records, ${orphans.size} without workflow, ${inFlight.size} in flight`,
  );
  return moved.size + orphans.size;
}

/** The rounds about which the records or the wallet know more than the restored workflows. */
export function whatIsLost(seen: {
  atMs: number;
  /** Records at the time of the copy, and just before the restore. */
  before: Records;
  records: Records;
  calls: ReadonlyMap<string, readonly WalletCall[]>;
  /** Rounds that the restored server has. */
  known: ReadonlySet<string>;
}): Restore {
  const { atMs, before, records, calls, known } = seen;
  const restored: Restore = {
    store: 'temporal',
    copiedAtMs: atMs,
    backAtMs: Date.now(),
    moved: new Map(),
    orphans: new Set(),
    inFlight: new Set(),
  };
  for (const [gameround, { status, version, snapshot }] of records) {
    if (before.get(gameround)?.version === version) continue;
    const names = snapshot.transactions.map(nameOf);
    const accepted = snapshot.transactions.filter(({ outcome }) => outcome === 'accepted').map(nameOf);
    restored.moved.set(gameround, { status, names: new Set(names), accepted: new Set(accepted) });
    if (!known.has(gameround)) restored.orphans.add(gameround);
  }
  for (const [gameround, sent] of calls) {
    const recorded = new Set((records.get(gameround)?.snapshot.transactions ?? []).map(nameOf));
    const isRecorded = ({ body }: WalletCall): boolean =>
      body.transactions.every((one) => recorded.has(nameOf(one)));
    if (sent.some((call) => call.receivedMs >= atMs && !isRecorded(call))) restored.inFlight.add(gameround);
  }
  return restored;
}

/** Waits for late records: data that is in neither database can't be found. Returns the rounds that stay late. */
async function lateRecords(stack: Stack): Promise<string[]> {
  const deadline = Date.now() + LATE_RECORDS_MS;
  for (;;) {
    const late = [...(await workflowsOf(stack))]
      .filter(([, { attention }]) => attention.includes('projection-pending'))
      .map(([gameround]) => gameround);
    if (late.length === 0 || Date.now() > deadline) return late;
    await sleep(300);
  }
}

/** The service keeps running while MongoDB stops and returns with older data. */
async function mongodBack({ stack, log }: Tools, copy: { folder: string; atMs: number }): Promise<number> {
  await stack.kill('mongod');
  await stack.putBack('mongod', copy.folder);
  await stack.start('mongod');
  stack.restores.push({
    ...{ store: 'mongod', copiedAtMs: copy.atMs, backAtMs: Date.now() },
    ...{ moved: new Map(), orphans: new Set(), inFlight: new Set() },
  });
  await stack.ready();
  const behind = await finishedWithoutRecord(stack);
  log(`mongod restored: ${behind} finished rounds have no record of their end`);
  await stack.repairRecords(copy.atMs);
  return behind;
}

async function finishedWithoutRecord(stack: Stack): Promise<number> {
  const [records, workflows] = [await recordsByHash(stack), await workflowsOf(stack)];
  const isBehind = ([gameround, { status }]: [string, { status: string }]): boolean => {
    const record = records.get(gameround)?.status;
    return status === 'COMPLETED' && (record === undefined || record === 'open');
  };
  return [...workflows].filter(isBehind).length;
}

async function recordsByHash(stack: Stack): Promise<Records> {
  const records = await recordsOf(stack);
  return new Map(records.map((record) => [record._id, record]));
}
