import { loadConfig } from '../src/config';
import { connectLazily, databaseOf } from '../src/foundation';
import { runProcess } from '../src/lifecycle';
import { createPayloadCodec } from '../src/payloads/codec';
import { dataConverterOf } from '../src/payloads/data-converter';
import { createRounds } from '../src/read-model/rounds';
import { audit, isEmpty } from './audit';
import { withReplayBundle } from './bundle';
import { archiveOf, counted, nothingFound, optionsOf, progressOf, quietRuntime } from './command';
import { auditPorts } from './evidence';
import { jsonReport, linesOf, tableOf } from './report';

const USAGE =
  'npm run audit -- [--since 2026-01-02T03:04:05Z] [--operator <operatorId>] [--dir <folder or s3://bucket/prefix>] [--json <file>]';

/** Compares the records in MongoDB with the histories of their rounds; see docs/operations.md. */
runProcess(async () => {
  const options = optionsOf(USAGE, ['since', 'operator', 'dir', 'json'], process.argv.slice(2));
  const config = loadConfig();
  quietRuntime();
  const { client, connection } = connectLazily(config);
  const database = databaseOf(config);
  const rounds = createRounds(database.db, config.environment);
  const { environment, payloads } = config;
  const archive = await archiveOf(config, options);
  const evidence = { client, codec: createPayloadCodec(payloads), rounds, environment, archive };
  const ports = await auditPorts(evidence, options);
  const report = jsonReport(options.json);
  const progress = progressOf(['run', 'runs', 'audited']);
  const audited = await withReplayBundle(config, (codePath) =>
    audit({
      ...ports,
      replay: { codePath, dataConverter: dataConverterOf(payloads) },
      found: (finding) => {
        report.add(finding);
        process.stdout.write(`${linesOf(finding)}\n`);
      },
      step: progress.step,
    }),
  );
  progress.end();
  report.end(audited);
  await connection.close();
  await database.client.close();
  const { findings, inProgress, expired } = audited;
  process.stdout.write(`${tableOf(audited)}\n`);
  process.stdout.write(`${counted(audited.rounds, 'round')}, ${counted(findings, 'finding')}`);
  process.stdout.write(
    `; ${inProgress} with a wallet call in progress, ${expired} past Temporal's retention\n`,
  );
  if (findings > 0) process.exitCode = 1;
  if (isEmpty(audited)) nothingFound('audit');
});
