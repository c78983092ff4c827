import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createExportActivities } from '../../activities/export';
import type { HistorySource } from '../../src/contracts/export';
import type { Logger } from '../../src/logging';

/* The activity that exports histories, over a source that is made for each case. */

const HOUR_MS = 3_600_000;
const HOUR_AGO = new Date(Date.now() - HOUR_MS);
const run = (name: number | string) => ({ workflowId: `gameround-${name}`, runId: 'run' });

function sourceOf(source: Partial<HistorySource>): HistorySource {
  return {
    keptSince: () => Promise.resolve(new Date(0)),
    begin: () => Promise.resolve(HOUR_AGO),
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
  const activities = createExportActivities({ histories: sourceOf(source), logger });
  const environment = new MockActivityEnvironment();
  const until = new Date(HOUR_AGO.getTime() + HOUR_MS / 2).toISOString();
  return {
    environment,
    warnings,
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
      yield* [run('bad'), run(1), run(2)];
    },
    export: ({ workflowId }) => {
      if (workflowId === 'gameround-bad') return Promise.reject(new Error('ENAMETOOLONG'));
      written.push(workflowId);
      return Promise.resolve('written');
    },
    mark: (until) => Promise.resolve(void marks.push(until)),
  };
  const { ended, warnings } = attemptOf(source);
  expect(await ended).toMatchObject({ written: 2, failed: 1 });
  expect(written.sort()).toEqual(['gameround-1', 'gameround-2']);
  expect(warnings).toMatchObject([{ workflowId: 'gameround-bad', runId: 'run' }]);
  expect(marks.at(-1)?.getTime()).toBe(HOUR_AGO.getTime() + HOUR_MS / 2);

  // The store is down: nothing is passed over.
  const down = attemptOf({ ...source, mark: () => Promise.reject(new Error('the store is down')) });
  expect(await down.ended).toContain('the store is down');
  expect(down.warnings).toEqual([]);
});

test('an export that is behind the retention says which time is lost', async () => {
  const from = new Date(HOUR_AGO.getTime() - 5 * HOUR_MS);
  const { ended, warnings } = attemptOf({
    begin: () => Promise.resolve(from),
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
