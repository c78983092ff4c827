import { statSync } from 'node:fs';
import { historySource } from '../src/archive/export';
import { loadConfig } from '../src/config';
import { connectLazily } from '../src/foundation';
import { PersonNeededError, runProcess } from '../src/lifecycle';
import { openArchive } from '../src/archive';
import { optionsOf, progressOf } from './command';

const USAGE = 'npm run export -- [--dir <folder or s3://bucket/prefix>] [--since 2026-01-02T03:04:05Z]';

/** Writes the histories of runs that have ended to a folder or object store; see docs/operations.md. */
runProcess(async () => {
  const { dir, since } = optionsOf(USAGE, ['dir', 'since'], process.argv.slice(2));
  const config = loadConfig();
  const to = dir ?? config.exportTo?.place;
  if (to === undefined) throw new PersonNeededError(`EXPORT_TO is off; usage: ${USAGE}`);
  const { client, connection } = connectLazily(config);
  if (dir !== undefined && !dir.startsWith('s3:') && statSync(dir, { throwIfNoEntry: false })?.isFile())
    throw new PersonNeededError(`${dir} is no folder`);
  const histories = historySource(client, await openArchive(to, config.exportTo?.endpoint));
  const progress = progressOf(['history', 'histories', 'exported']);
  let failed = 0;
  // The archive of another namespace is refused.
  await histories.marked();
  for await (const run of histories.endedIn(new Date(since ?? 0))) {
    try {
      if ((await histories.export(run)) === 'written') progress.step();
    } catch (error) {
      failed += 1;
      process.stdout.write(`${run.workflowId} (run ${run.runId}): ${String(error)}\n`);
    }
  }
  progress.end();
  await connection.close();
  if (failed > 0) process.exitCode = 1;
});
