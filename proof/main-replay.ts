import { EXPORTED_TYPES } from '../src/contracts/export';
import { loadConfig } from '../src/config';
import { connectLazily } from '../src/foundation';
import { PersonNeededError, runProcess } from '../src/lifecycle';
import { createPayloadCodec } from '../src/payloads/codec';
import { dataConverterOf } from '../src/payloads/data-converter';
import { withReplayBundle } from './bundle';
import { archiveOf, counted, nothingFound, optionsOf, progressOf, queryOf, quietRuntime } from './command';
import { runsOfRound } from './evidence';
import { replay, type Problem } from './replay';
import { runsInArchive, runsOnServer } from './runs';

const USAGE =
  'npm run replay -- --all | --since 2026-01-02T03:04:05Z | --hash <gameround> | --dir <folder or s3://bucket/prefix>';

/** Replays histories against the workflow code of this checkout; see docs/operations.md. */
runProcess(async () => {
  const options = optionsOf(USAGE, ['all', 'since', 'hash', 'dir'], process.argv.slice(2));
  if (Object.keys(options).length !== 1) throw new PersonNeededError(`usage: ${USAGE}`);
  const config = loadConfig();
  const dataConverter = dataConverterOf(config.payloads);
  const codec = createPayloadCodec(config.payloads);
  quietRuntime();
  const { client, connection } = connectLazily(config);
  const { hash, dir } = options;
  const archive = await archiveOf(config, options);
  const runs =
    archive !== undefined && dir !== undefined
      ? runsInArchive(archive, codec, '')
      : hash === undefined
        ? runsOnServer(client, queryOf(options, EXPORTED_TYPES), codec)
        : runsOfRound({ client, codec, archive }, hash);
  const progress = progressOf(['run', 'runs', 'replayed']);
  let count = 0;
  let failed = 0;
  await withReplayBundle(config, async (codePath) => {
    for await (const { problem } of replay(runs, { codePath, dataConverter })) {
      progress.step();
      count += 1;
      if (problem === undefined) continue;
      failed += 1;
      process.stdout.write(`${lineOf(problem)}\n`);
    }
  });
  progress.end();
  await connection.close();
  process.stdout.write(
    `${counted(count, 'run')}, ${failed} that ${failed === 1 ? 'does' : 'do'} not replay\n`,
  );
  if (failed > 0) process.exitCode = 1;
  if (count === 0) nothingFound('replay');
});

function lineOf({ workflowId, runId, eventId, reason }: Problem): string {
  const where = eventId === undefined ? '' : ` at event ${eventId}`;
  return `${workflowId} (run ${runId})${where}: ${reason}`;
}
