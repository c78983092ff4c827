import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../stack/paths';
import { kitWallet, OPERATOR } from '../conformance/support';

/* The conformance tester as others get it: packed, installed from the file in an empty project, and run there. */

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gameround-conformance-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('npx gameround-conformance tests a wallet from an empty project', async () => {
  const packing = ['pack', './conformance', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', packing, { cwd: projectRoot() });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['README.md', 'dist/conformance/main.js', 'dist/sdk/signing.js']),
  );
  expect(paths.filter((path) => !/^(dist\/.*\.js|README\.md|package\.json)$/.test(path))).toEqual([]);

  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
  await run('npm', ['install', filename, '--offline', '--no-audit', '--no-fund'], { cwd: folder });
  const wallet = await kitWallet();
  try {
    const where = ['--operator-url', wallet.url, '--operator-id', OPERATOR.operatorId];
    const who = ['--secret', OPERATOR.secrets[0]!, '--player', 'alice', '--game', 'demo-slot'];
    const command = ['--no-install', 'gameround-conformance', 'wallet', ...where, ...who];
    const tested = await run('npx', command, { cwd: folder });
    expect(tested.stdout).toContain('51 rules hold, 0 broken, 4 skipped');
    const unknown = run('npx', [...command, '--player', 'bob'], { cwd: folder });
    await expect(unknown).rejects.toMatchObject({ code: 2 });
  } finally {
    wallet.close();
  }
});
