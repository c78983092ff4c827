import { writeFile } from 'node:fs/promises';
import { loadConfig } from '../src/config';
import { connectLazily, databaseOf } from '../src/foundation';
import { PersonNeededError, runProcess } from '../src/lifecycle';
import { createPayloadCodec } from '../src/payloads/codec';
import { createRounds } from '../src/read-model/rounds';
import { archiveOf, optionsOf } from './command';
import { collect } from './dossier/collect';
import { ownVersion } from './dossier/version';
import { write } from './dossier/write';

const USAGE =
  'npm run dossier -- --hash <gameround> [--dir <folder or s3://bucket/prefix>] [--out <file.html>]';

/** Writes everything that is known of a round for a dispute; see docs/dossier.md. */
runProcess(async () => {
  const options = optionsOf(USAGE, ['hash', 'dir', 'out'], process.argv.slice(2));
  const { hash, out } = options;
  if (hash === undefined) throw new PersonNeededError(`usage: ${USAGE}`);
  const config = loadConfig();
  const { environment, payloads } = config;
  const { client, connection } = connectLazily(config);
  const database = databaseOf(config);
  const rounds = createRounds(database.db, environment);
  const archive = await archiveOf(config, options);
  const evidence = { client, codec: createPayloadCodec(payloads), rounds, environment, archive };
  const made = { madeAt: new Date().toISOString(), madeBy: ownVersion() };
  const dossier = await collect(evidence, hash, made);
  const { html, json, head } = write(dossier);
  const name = (out ?? `dossier-${hash}`).replace(/\.(html|json)$/, '');
  // It has personal data.
  try {
    await writeFile(`${name}.html`, html, { mode: 0o600 });
    await writeFile(`${name}.json`, json, { mode: 0o600 });
  } catch (error) {
    throw new PersonNeededError(`the dossier can't be written: ${(error as Error).message}`);
  }
  await connection.close();
  await database.client.close();
  process.stdout.write(`${name}.html\n${name}.json\nfingerprint ${head}\n`);
  process.stdout.write(`record and history: ${dossier.round.agreement.join(' ')}\n`);
});
