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

/** Why the Python kit can't be tested here; undefined where it can. */
export function noPython(): string | undefined {
  const asked = [
    '-c',
    'import sys; print(*sys.version_info[:2], sep="."); sys.exit(sys.version_info < (3, 10))',
  ];
  const { status, stdout } = spawnSync('python3', asked, { encoding: 'utf8' });
  if (status === 0) return undefined;
  return stdout ? `python3 is ${stdout.trim()}, the kit needs 3.10` : 'there is no python3';
}

/** Loads the tests of another file. Where the Python kit can't run, one skipped test says why. */
export function withPython(load: () => unknown): void {
  const reason = noPython();
  if (reason === undefined) load();
  else test.skip(`the Python kit is not tested: ${reason}`, () => undefined);
}
