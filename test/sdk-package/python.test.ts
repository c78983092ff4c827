import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KIT, NO_PYTHON, PYTHON_ENV, pythonTest, unless } from '../sdk-python/python';
import { codeOf } from '../sdk-python/python-kit';
import { signedService } from './service';

jest.setTimeout(240_000);

/* The Python kit: its own tests, and the package as others get it, built and installed in a new environment. */

const run = promisify(execFile);

/** Why no package can be built; undefined where it can. pip fetches setuptools for it. */
function noRegistry(): string | undefined {
  const dest = mkdtempSync(join(tmpdir(), 'gameround-python-registry-'));
  const args = ['download', '--quiet', '--no-deps', '--retries', '0', '--dest', dest, 'setuptools>=61'];
  const { status } = spawnSync('python3', ['-m', 'pip', ...args], { timeout: 60_000 });
  rmSync(dest, { recursive: true });
  return status === 0 ? undefined : 'pip can fetch no packages';
}

const packageTest = unless(NO_PYTHON ?? noRegistry(), 'The test of the Python package is');

pythonTest("the kit's own tests", async () => {
  const tests = ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests'];
  const { stderr } = await run('python3', tests, { cwd: KIT, env: PYTHON_ENV });
  expect(stderr).toMatch(/Ran [1-9]\d+ tests [^]*\nOK\n/);
});

const MAIN = `
import json
from urllib.parse import parse_qs, urlsplit

import gameround
from game import spin
from lobby import launch

url = launch("alice")
won = spin(parse_qs(urlsplit(url).query)["token"][0])
print(json.dumps({"url": url, "won": won, "from": gameround.__file__}))
`;

packageTest('a new environment plays a round with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-python-'));
  const service = await signedService();
  try {
    // A build leaves files beside the sources.
    await cp(KIT, join(folder, 'kit'), { recursive: true });
    const pip = (...args: string[]) => run('python3', ['-m', 'pip', ...args], { cwd: folder });
    await pip('wheel', '--quiet', '--no-deps', './kit', '-w', '.');
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'))!;
    expect(wheel).toBe('gameround-0.1.0-py3-none-any.whl');

    const project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'main.py'), MAIN);
    for (const file of ['game.py', 'callbacks.py', 'lobby.py', 'wallet.py', 'debug.py'])
      await writeFile(join(project, file), await codeOf(file));
    await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    const python = join(folder, 'venv', 'bin', 'python');
    await run(python, ['-m', 'pip', 'install', '--quiet', '--no-index', join(folder, wheel)]);
    const env = { GAMEROUND_URL: service.url };
    const { stdout } = await run(python, ['main.py'], { cwd: project, env });
    expect(JSON.parse(stdout)).toEqual({
      ...{ url: 'http://game.example/play?token=t', won: 700 },
      from: expect.stringContaining(join(folder, 'venv')) as string,
    });
    expect(service.signed).toEqual(['/getGameURL', '/startGameRound', '/addWin', '/endGameRound']);

    // The types come with the package, and the README's code keeps to them.
    await run(python, ['-m', 'pip', 'install', '--quiet', 'mypy']);
    const wrong = 'from game import game\n\ngame.add_win(token="t", rng_result={"winAmount": "700"})\n';
    await writeFile(join(project, 'wrong.py'), wrong);
    const mypy = (...files: string[]) => run(python, ['-m', 'mypy', '--strict', ...files], { cwd: project });
    await mypy('game.py', 'callbacks.py', 'lobby.py', 'wallet.py', 'debug.py');
    await expect(mypy('wrong.py')).rejects.toMatchObject({
      stdout: expect.stringMatching(
        /Missing named argument "game_round"[^]*"winAmount" has type "int"/,
      ) as string,
    });
    await mypy(join(folder, 'kit', 'src', 'gameround'));
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
});
