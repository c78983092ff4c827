import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../stack/paths';

export const KIT = join(projectRoot(), 'sdk-python');

/** The environment in which `python3` finds the kit's sources. */
export const PYTHON_ENV: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: join(KIT, 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUNBUFFERED: '1',
};

function missing(): string | undefined {
  const asked = [
    '-c',
    'import sys; print(*sys.version_info[:2], sep="."); sys.exit(sys.version_info < (3, 10))',
  ];
  const { status, stdout } = spawnSync('python3', asked, { encoding: 'utf8' });
  if (status === 0) return undefined;
  return stdout ? `python3 is ${stdout.trim()}, the kit needs 3.10` : 'there is no python3';
}

/** jest prints no titles of skipped files, so the reason goes to the terminal. */
export function unless(reason: string | undefined, what: string): typeof test.skip {
  if (reason === undefined) return test;
  process.stderr.write(`${what} skipped: ${reason}.\n`);
  return test.skip;
}

/** Why the Python kit can't be tested here; undefined where it can. */
export const NO_PYTHON = missing();

/** As jest's own; without Python it skips. */
export const pythonTest = unless(NO_PYTHON, 'The tests of the Python kit are');

/** Loads the tests of another file, if there is Python. */
export function withPython(load: () => unknown): void {
  if (NO_PYTHON === undefined) load();
  else pythonTest('with the Python kit', () => undefined);
}
