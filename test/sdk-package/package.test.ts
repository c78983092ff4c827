import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../stack/paths';
import { codeOf } from '../sdk/readme';
import { type SignedService, signedService } from './service';

/* The package as others get it: packed, installed from the file in a new project, compiled and run there. */

const ROOT = projectRoot();
const run = promisify(execFile);

let folder: string;
let tarball: string;
let packed: string[];
let service: SignedService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gameround-sdk-'));
  const { stdout } = await run('npm', ['pack', './sdk', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const [made] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = join(folder, made.filename);
  packed = made.files.map(({ path }) => path);
  service = await signedService();
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const MAIN = `
import { InterfaceError, verifyBody, type GameReply } from 'gameround-sdk';
import { spin } from './game.js';
import { launch } from './lobby.js';

const status = (reply: GameReply): 'open' | 'closed' | 'cancel' => reply.gameRoundInfo.status;
// @ts-expect-error: the types come with the package
export const wrong = () => status({ status: 'open' });

async function main(): Promise<void> {
  const url = await launch('alice');
  const won = await spin(new URL(url).searchParams.get('token') ?? '');
  const both = [await import('gameround-sdk'), (await import('node:module')).createRequire(__filename_)('gameround-sdk')];
  const same = both.every((sdk) => sdk.InterfaceError === InterfaceError && sdk.verifyBody === verifyBody);
  console.log(JSON.stringify({ url, won, same }));
}
void main();
`;

const KINDS = { module: 'import.meta.url', commonjs: '__filename' };

test.each(Object.entries(KINDS))(
  'a new TypeScript project of type %s plays a round with it',
  async (type, here) => {
    const project = join(folder, type);
    await mkdir(project);
    const tsconfig = {
      compilerOptions: {
        ...{ strict: true, target: 'ES2022', lib: ['ES2022'], module: 'Node16', outDir: 'out' },
        ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules', '@types')] },
      },
      include: ['*.ts'],
    };
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'new', private: true, type }));
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
    await writeFile(join(project, 'main.ts'), MAIN.replace('__filename_', here));
    for (const file of ['game.ts', 'callbacks.ts', 'lobby.ts', 'wallet.ts', 'debug.ts'])
      await writeFile(join(project, file), await codeOf(file));

    await run('npm', ['install', tarball, '--offline', '--no-audit', '--no-fund'], { cwd: project });
    await run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')], { cwd: project });
    service.signed.length = 0;
    const { stdout } = await run(process.execPath, ['out/main.js'], {
      cwd: project,
      env: { GAMEROUND_URL: service.url },
    });
    expect(JSON.parse(stdout)).toEqual({ url: 'http://game.example/play?token=t', won: 700, same: true });
    expect(service.signed).toEqual(['/getGameURL', '/startGameRound', '/addWin', '/endGameRound']);
  },
);

test('it has the build, its types and the README, and depends on nothing', async () => {
  expect(packed).toEqual(expect.arrayContaining(['README.md', 'dist/index.js', 'dist/index.d.ts']));
  expect(packed).toEqual(expect.arrayContaining(['dist/index.mjs', 'dist/index.d.mts']));
  expect(
    packed.filter((path) => !/^(dist\/[\w-]+\.(js|mjs|d\.ts|d\.mts)|README\.md|package\.json)$/.test(path)),
  ).toEqual([]);
  const manifest = JSON.parse(await readFile(join(ROOT, 'sdk', 'package.json'), 'utf8')) as object;
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  // With it, the project's own imports of ../sdk would find the last build instead of the sources.
  expect(manifest).not.toHaveProperty('main');
});
