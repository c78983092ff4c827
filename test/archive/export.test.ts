import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { createExportActivities } from '../../activities/export';
import { openArchive } from '../../src/archive';
import { historySource } from '../../src/archive/export';
import { fileOf, textIn } from '../../src/archive/names';
import type { HistorySource } from '../../src/contracts/export';
import type { Logger } from '../../src/logging';
import { createMetrics } from '../../src/metrics';

/* The activity that exports histories, over a source that is made for each case. */

const HOUR_MS = 3_600_000;
const NOW = new Date();
const HOUR_AGO = new Date(NOW.getTime() - HOUR_MS);
const run = (name: number | string) => ({ workflowId: `gameround-${name}`, runId: 'run' });

function sourceOf(source: Partial<HistorySource>): HistorySource {
  return {
    keptSince: () => Promise.resolve(new Date(0)),
    marked: () => Promise.resolve(NOW),
    endedIn: async function* () {
      await Promise.resolve();
      yield run(1);
    },
    export: () => Promise.resolve('written'),
    mark: () => Promise.resolve(),
    ...source,
  };
}

function attemptOf(source: Partial<HistorySource>) {
  const warnings: object[] = [];
  const warn = (about: object, text: string): void => void warnings.push({ ...about, text });
  const logger = { warn: warn as Logger['warn'] };
  const metrics = createMetrics({ defaults: false });
  const activities = createExportActivities({ histories: sourceOf(source), logger, metrics });
  const environment = new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: Date.now() });
  const until = new Date(HOUR_AGO.getTime() + HOUR_MS / 2).toISOString();
  return {
    environment,
    warnings,
    measured: async () => (await metrics.exposition()).text,
    ended: environment.run((text: string) => activities.exportEnded(text), until).catch(String),
  };
}

test('an attempt whose time is over stops, also while a call hangs', async () => {
  let exported = 0;
  const { environment, ended } = attemptOf({
    endedIn: async function* () {
      for (let count = 0; ; count += 1) yield await Promise.resolve(run(count));
    },
    export: async () => {
      exported += 1;
      await sleep(5);
      return 'written';
    },
  });
  await sleep(200);
  environment.cancel('TIMED_OUT');
  expect(await ended).toContain('Cancel');
  await sleep(100);
  const atEnd = exported;
  await sleep(300);
  expect(exported).toBe(atEnd);

  const hanging = attemptOf({ export: () => new Promise(() => undefined) });
  await sleep(50);
  hanging.environment.cancel('TIMED_OUT');
  const waited = sleep(2_000, 'still waits', { ref: false });
  expect(await Promise.race([hanging.ended, waited])).toContain('Cancel');
});

test('a history that can not be written is logged and counted, and the others are exported', async () => {
  const written: string[] = [];
  const marks: Date[] = [];
  const source: Partial<HistorySource> = {
    endedIn: async function* () {
      await Promise.resolve();
      yield* [run('bad'), run('gone'), run(1), run(2)];
    },
    export: ({ workflowId }) => {
      if (workflowId === 'gameround-bad') return Promise.reject(new Error('ENAMETOOLONG'));
      if (workflowId === 'gameround-gone') return Promise.resolve('gone');
      written.push(workflowId);
      return Promise.resolve('written');
    },
    mark: (until) => Promise.resolve(void marks.push(until)),
  };
  const { ended, warnings, measured } = attemptOf(source);
  expect(await ended).toMatchObject({ written: 2, failed: 1 });
  expect(written.sort()).toEqual(['gameround-1', 'gameround-2']);
  const names = warnings.map((warning) => (warning as { workflowId: string }).workflowId).sort();
  expect(names).toEqual(['gameround-bad', 'gameround-gone']);
  for (const why of ['failed', 'deleted'])
    expect(await measured()).toContain(`gameround_histories_not_exported_total{why="${why}"} 1`);
  expect(marks.at(-1)?.getTime()).toBe(HOUR_AGO.getTime() + HOUR_MS / 2);

  // The store is down: nothing is passed over.
  const down = attemptOf({ ...source, mark: () => Promise.reject(new Error('the store is down')) });
  expect(await down.ended).toContain('the store is down');
  expect(down.warnings).not.toContainEqual(expect.objectContaining({ workflowId: 'gameround-bad' }));
});

test('an export that is behind the retention says which time is lost', async () => {
  const from = new Date(HOUR_AGO.getTime() - 5 * HOUR_MS);
  const { ended, warnings } = attemptOf({
    marked: () => Promise.resolve(new Date(from.getTime() + HOUR_MS)),
    keptSince: () => Promise.resolve(HOUR_AGO),
  });
  expect(await ended).toMatchObject({ written: 1 });
  expect(warnings).toMatchObject([
    { from, until: HOUR_AGO, text: expect.stringContaining('deleted before they were exported') as string },
  ]);
});

test('four histories are exported at once, and it rests after them', async () => {
  let now = 0;
  let most = 0;
  const { ended } = attemptOf({
    endedIn: async function* () {
      for (let count = 0; count < 10; count += 1) yield await Promise.resolve(run(count));
    },
    export: async () => {
      most = Math.max(most, ++now);
      await sleep(20);
      now -= 1;
      return 'written';
    },
  });
  const begunAt = performance.now();
  expect(await ended).toMatchObject({ written: 10 });
  expect(most).toBe(4);
  // Three groups of 20 ms, and a rest as long as each of them.
  expect(performance.now() - begunAt).toBeGreaterThan(110);
});

describe('the archive of a namespace', () => {
  const RUN_ID = '01a22a71-28fb-7534-b9b8-17afecac20e6';
  const DAY_MS = 24 * HOUR_MS;
  let folder: string;
  const mark = (): string => join(folder, 'exported-until.txt');
  const markedText = (): Promise<string> => readFile(mark(), 'utf8');
  const hours = (...ago: number[]): Date[] => ago.map((one) => new Date(NOW.getTime() - one * HOUR_MS));

  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'gameround-archive-'))));
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  /** A server that keeps runs for two days, with runs that ended at these times. */
  function serverOf(namespace: string, id: string, ended: Date[]): Client {
    const time = (query: string, which: string): number => Date.parse(query.split(which)[1]!.slice(0, 24));
    async function* list({ query }: { query: string }) {
      for (const [index, at] of ended.entries()) {
        const isWanted = +at >= time(query, ">= '") && +at < time(query, "< '");
        if (isWanted) yield await Promise.resolve({ workflowId: `gameround-${id}${index}`, runId: RUN_ID });
      }
    }
    const config = { workflowExecutionRetentionTtl: { seconds: 2 * 24 * 3_600 } };
    const workflowService = {
      describeNamespace: () => Promise.resolve({ config, namespaceInfo: { id } }),
      getWorkflowExecutionHistory: () => Promise.resolve({ history: { events: [{ eventId: 1 }] } }),
    };
    return { options: { namespace }, connection: { workflowService }, workflow: { list } } as never;
  }

  /** The activity, which the server started at NOW. */
  async function exported(client: Client, until = NOW, scheduledAt = NOW) {
    const warnings: string[] = [];
    const warn = (about: object | string, text?: string): void =>
      void warnings.push(text ?? (about as string));
    const histories = historySource(client, await openArchive(folder));
    const activities = createExportActivities({ histories, logger: { warn: warn } });
    const environment = new MockActivityEnvironment({
      currentAttemptScheduledTimestampMs: scheduledAt.getTime(),
    });
    const result = await environment
      .run((text: string) => activities.exportEnded(text), until.toISOString())
      .catch(String);
    return { result, warnings };
  }

  test('another namespace, or one of the same name in another cluster, is refused, and its mark stays', async () => {
    const first = await exported(serverOf('production', 'a', hours(2)));
    expect(first).toEqual({ result: expect.objectContaining({ written: 1 }) as unknown, warnings: [] });
    expect(await markedText()).toBe(`${NOW.toISOString()} production a\n`);
    for (const [namespace, id] of [
      ['test', 'b'],
      ['production', 'c'],
    ] as const) {
      const refused = await exported(serverOf(namespace, id, hours(2, 5, 24)));
      const says = expect.stringContaining('has the histories of the namespace production a') as string;
      expect(refused).toEqual({ result: says, warnings: [says] });
      const source = historySource(serverOf(namespace, id, []), await openArchive(folder));
      await expect(source.mark(NOW)).rejects.toThrow('name another place in EXPORT_TO');
    }
    expect(await markedText()).toBe(`${NOW.toISOString()} production a\n`);
    // A second worker of the namespace goes on where the first one stopped.
    expect((await exported(serverOf('production', 'a', hours(2, 0.5)))).result).toMatchObject({ written: 1 });
  });

  test('a clock of the worker that is ahead changes nothing', async () => {
    await writeFile(mark(), `${hours(6)[0]!.toISOString()} production a\n`);
    jest.spyOn(Date, 'now').mockReturnValue(NOW.getTime() + 3 * DAY_MS);
    expect(await exported(serverOf('production', 'a', hours(1, 2, 3, 4, 5)))).toEqual({
      result: { written: 5, failed: 0, until: NOW.toISOString() },
      warnings: [],
    });
    expect(await markedText()).toContain(NOW.toISOString());
  });

  test('a mark of the future, one without a namespace and one that is no time are not believed', async () => {
    for (const [text, warnings] of [
      [`${new Date(NOW.getTime() + DAY_MS).toISOString()} production a`, [expect.stringContaining('future')]],
      [NOW.toISOString(), []],
      ['', []],
    ] as const) {
      await rm(folder, { recursive: true });
      folder = await mkdtemp(join(tmpdir(), 'gameround-archive-'));
      await writeFile(mark(), `${text}\n`);
      expect(await exported(serverOf('production', 'a', hours(1, 40)))).toEqual({
        result: expect.objectContaining({ written: 2 }) as unknown,
        warnings,
      });
      expect(await markedText()).toBe(`${NOW.toISOString()} production a\n`);
    }
  });

  test('an export that comes after the retention marks nothing that it has not looked at', async () => {
    const [asked, before] = [new Date(NOW.getTime() - 3 * DAY_MS), new Date(NOW.getTime() - 4 * DAY_MS)];
    const text = `${before.toISOString()} production a\n`;
    await writeFile(mark(), text);
    expect((await exported(serverOf('production', 'a', []), asked)).warnings).toEqual([
      'histories of this time were deleted before they were exported',
    ]);
    expect(await markedText()).toBe(text);
  });

  test('a history whose file is empty, cut off or damaged is written again, and one in whose place is a folder is named', async () => {
    const client = serverOf('production', 'a', hours(0.4, 0.3, 0.2, 0.1));
    await exported(client);
    const archive = await openArchive(folder);
    const files = [0, 1, 2, 3].map((index) => fileOf({ workflowId: `gameround-a${index}`, runId: RUN_ID }));
    const [empty, cut, damaged, whole] = files.map((file) => join(folder, file)) as [
      string,
      string,
      string,
      string,
    ];
    const bytes = await readFile(whole);
    await writeFile(empty, '');
    await writeFile(cut, bytes.subarray(0, -9));
    await writeFile(damaged, Buffer.from(bytes).fill(0x55, 12, 14));
    expect((await exported(client)).result).toMatchObject({ written: 3, failed: 0 });
    for (const file of files) expect(await textIn(file, await archive.read(file))).toContain('"eventId":"1"');
    await rm(whole);
    await mkdir(whole);
    expect(await exported(client)).toEqual({
      result: expect.objectContaining({ written: 0, failed: 1 }) as unknown,
      warnings: [expect.stringContaining('could not be exported')],
    });
  });
});
