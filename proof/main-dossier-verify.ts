import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PersonNeededError, runProcess } from '../src/lifecycle';
import { counted } from './command';
import { ownVersion } from './dossier/version';
import { verify } from './dossier/verify';

const USAGE = 'npm run dossier:verify -- <file.html or file.json> [--head <fingerprint>]';

/** Checks a dossier; see docs/dossier.md. It needs the file only. */
runProcess(async () => {
  const { file, head } = read(process.argv.slice(2));
  const {
    problems,
    entries,
    head: found,
  } = verify(await contentOf(file), {
    ...{ name: file, madeBy: ownVersion(), expectedHead: head },
  });
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  else
    process.stdout.write(
      `${file} is unchanged: ${counted(entries, 'entry', 'entries')}, fingerprint ${found}` +
        (head === undefined
          ? '; compare it with the fingerprint that was kept when the dossier was made\n'
          : '\n'),
    );
});

function read(args: string[]): { file: string; head: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { head: { type: 'string' } },
      allowPositionals: true,
    });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new Error();
    return { file, head: values.head };
  } catch {
    throw new PersonNeededError(`usage: ${USAGE}`);
  }
}

async function contentOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new PersonNeededError(`${file} can't be read: ${(error as Error).message}`);
  }
}
