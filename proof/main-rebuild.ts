import { loadConfig } from '../src/config';
import { connectLazily, databaseOf } from '../src/foundation';
import { runProcess } from '../src/lifecycle';
import { createPayloadCodec } from '../src/payloads/codec';
import { createGuards } from '../src/read-model/guards';
import { createRounds, ensureRoundIndexes } from '../src/read-model/rounds';
import { archiveOf, counted, nothingFound, optionsOf, progressOf } from './command';
import { missingRounds } from './evidence';
import { rebuild } from './rebuild';
import { linesOf } from './report';

const USAGE = 'npm run rebuild -- [--dir <folder or s3://bucket/prefix>] [--hash <gameround>]';

/** Writes the records and guards that MongoDB lacks from the histories of their rounds; see docs/operations.md. */
runProcess(async () => {
  const options = optionsOf(USAGE, ['dir', 'hash'], process.argv.slice(2));
  const config = loadConfig();
  const { environment, payloads } = config;
  const { client, connection } = connectLazily(config);
  const database = databaseOf(config);
  const rounds = createRounds(database.db, environment);
  await ensureRoundIndexes(rounds);
  const archive = await archiveOf(config, options);
  const evidence = { client, codec: createPayloadCodec(payloads), rounds, environment, archive };
  const progress = progressOf(['run', 'runs', 'read']);
  let isEmpty = true;
  const rebuilt = await rebuild({
    runs: missingRounds(evidence, options, () => (isEmpty = false)),
    rounds,
    environment,
    guards: createGuards(database.db),
    found: (finding) => process.stdout.write(`${linesOf(finding)}\n`),
    step: () => {
      isEmpty = false;
      progress.step();
    },
  });
  progress.end();
  await connection.close();
  await database.client.close();
  const { records, guards, findings } = rebuilt;
  process.stdout.write(
    `${counted(records, 'record')} written, ${counted(guards, 'open round')} with the guard, ${counted(findings, 'finding')}\n`,
  );
  if (findings > 0) process.exitCode = 1;
  if (isEmpty) nothingFound('rebuild');
});
