import { historySource } from '../src/archive/export';
import { loadConfig } from '../src/config';
import { connectLazily } from '../src/foundation';
import { PersonNeededError, runProcess } from '../src/lifecycle';
import { makeFolder } from '../src/archive/folder';
import { archiveOf, optionsOf, progressOf } from './command';

const USAGE = 'npm run export -- [--dir <folder or s3://bucket/prefix>] [--since 2026-01-02T03:04:05Z]';

/** Writes the histories of runs that have ended to a folder or object store; see docs/operations.md. */
runProcess(async () => {
  const options = optionsOf(USAGE, ['dir', 'since'], process.argv.slice(2));
  const { dir, since } = options;
  const config = loadConfig();
  if (dir !== undefined && !dir.startsWith('s3:')) await makeFolder(dir);
  const archive = await archiveOf(config, options);
  if (archive === undefined) throw new PersonNeededError(`EXPORT_TO is off; usage: ${USAGE}`);
  const { client, connection } = connectLazily(config);
  const histories = historySource(client, archive);
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
