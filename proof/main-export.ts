import { loadConfig } from '../src/config';
import { connectLazily } from '../src/foundation';
import { PersonNeededError, runProcess } from '../src/lifecycle';
import { createPayloadCodec } from '../src/payloads/codec';
import { optionsOf, progressOf, queryOf } from './command';
import { exportRun, isExported } from './export';
import { runsOnServer } from './runs';

const USAGE = 'npm run export -- --dir <folder> [--since 2026-01-02T03:04:05Z]';

/** Writes the histories of runs that have ended to a folder, before Temporal deletes them; see docs/operations.md. */
runProcess(async () => {
  const { dir, since } = optionsOf(USAGE, ['dir', 'since'], process.argv.slice(2));
  if (dir === undefined) throw new PersonNeededError(`usage: ${USAGE}`);
  const config = loadConfig();
  const { client, connection } = connectLazily(config);
  const query = `${queryOf({ since })} AND ExecutionStatus != 'Running'`;
  const isMissing = (run: { workflowId: string; runId: string }): Promise<boolean> =>
    Promise.resolve(!isExported(dir, run));
  const progress = progressOf(['history', 'histories', 'exported']);
  let failed = 0;
  for await (const run of runsOnServer(client, query, createPayloadCodec(config.payloads), isMissing)) {
    try {
      await exportRun(dir, run);
      progress.step();
    } catch (error) {
      failed += 1;
      process.stdout.write(`${run.workflowId} (run ${run.runId}): ${String(error)}\n`);
    }
  }
  progress.end();
  await connection.close();
  if (failed > 0) process.exitCode = 1;
});
