import { transformFile } from '@swc/core';
import { fork } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../stack/paths';
import { OPERATORS, REPEATABLE_ERROR_ID, required } from './rounds-harness';
import { workflowBundle } from './workflow-bundle';

/** The real worker (worker/main.ts), compiled, so that a test can start it as a process and kill it. */
export interface CompiledWorker {
  readonly dir: string;
  /** Returns when the worker is ready. */
  start(settings: WorkerSettings): Promise<WorkerProcess>;
  begin(settings: WorkerSettings): Beginning;
  remove(): Promise<void>;
}

export interface WorkerSettings {
  walletUrl: string;
  /** The wallet time-out of all operators, for example `5s`. */
  walletTimeout: string;
  namespace: string;
  database: string;
  /** Default: the tests' shared Temporal server. */
  temporalAddress?: string;
  environment?: NodeJS.ProcessEnv;
}

export interface WorkerProcess {
  readonly pid: number;
  /** Sends SIGKILL. Returns when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Returns the exit code, or null if a signal ended the process. */
  stop(): Promise<number | null>;
  log(): string;
}

/** A worker that is starting. `log` can be read before it is ready. */
export interface Beginning {
  log(): string;
  ready: Promise<WorkerProcess>;
}

const SOURCES = ['activities', 'src', 'worker'];
const READY_TIMEOUT_MS = 60_000;

/** Compiles into a folder of the project, since Node looks for modules in the parent folders. */
export async function compileWorker(): Promise<CompiledWorker> {
  const cache = join(projectRoot(), 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const dir = await mkdtemp(join(cache, 'worker-test-'));
  for (const source of SOURCES) await compileFolder(source, dir);
  await copyFile(await workflowBundle(), join(dir, 'worker', 'workflow-bundle.js'));
  let started = 0;
  return {
    dir,
    start: (settings) => startWorker(dir, settings, `worker-${(started += 1)}.log`),
    begin: (settings) => {
      const name = `worker-${(started += 1)}.log`;
      const ready = startWorker(dir, settings, name);
      // Avoids an unhandled rejection. A caller that waits for `ready` still gets the error.
      ready.catch(() => undefined);
      return { ready, log: () => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8') : '') };
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

async function compileFolder(source: string, dir: string): Promise<void> {
  const entries = await readdir(join(projectRoot(), source), { recursive: true });
  for (const entry of entries.filter((name) => name.endsWith('.ts'))) {
    const { code } = await transformFile(join(projectRoot(), source, entry), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    const file = join(dir, source, entry.replace(/\.ts$/, '.js'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
  }
}

async function startWorker(dir: string, settings: WorkerSettings, logName: string): Promise<WorkerProcess> {
  const tenantsFile = join(dir, 'tenants.json');
  await writeFile(tenantsFile, JSON.stringify(tenantsOf(settings)));
  const logFile = join(dir, logName);
  const log = openSync(logFile, 'a');
  const child = fork(join(dir, 'worker', 'main.js'), {
    // Only the settings of this test, so that none of this process's settings gets in by accident.
    env: {
      PATH: process.env.PATH,
      TEMPORAL_ADDRESS: settings.temporalAddress ?? required('TEST_TEMPORAL_ADDRESS'),
      TEMPORAL_NAMESPACE: settings.namespace,
      MONGODB_URI: required('TEST_MONGODB_URI'),
      MONGODB_DATABASE: settings.database,
      TENANTS_FILE: tenantsFile,
      CALLBACK_ADDRESSES: 'any',
      DATA_DIR: dir,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      BACKOFFICE_TOKEN: 'not-used-by-a-worker',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'info',
      ...settings.environment,
    },
    execArgv: [],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const read = (): string => readFileSync(logFile, 'utf8');
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => settle(new Error(`the worker is not ready:\n${read()}`)),
      READY_TIMEOUT_MS,
    );
    const onExit = (code: number | null): void =>
      settle(new Error(`the worker ended with ${code}:\n${read()}`));
    // Removes the timer and the listener. They would read the log after the test has removed its folder.
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      child.off('exit', onExit);
      if (error === undefined) resolve();
      else reject(error);
    };
    child.once('exit', onExit);
    child.once('message', () => settle());
  });
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid ?? 0,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    log: read,
  };
}

function tenantsOf({ walletUrl, walletTimeout }: WorkerSettings): object {
  return {
    operators: OPERATORS.map(({ operatorId, secrets, voidsWholeRound }) => ({
      operatorId,
      operatorUrl: walletUrl,
      secrets,
      autoCloseAfter: '24h',
      walletTimeout,
      repeatableErrorIds: [REPEATABLE_ERROR_ID],
      voidsWholeRound: voidsWholeRound ?? false,
      currencies: { EUR: 1 },
    })),
    providers: [{ providerId: 'gp1', gameUrl: 'http://127.0.0.1:9', secrets: ['provider-secret'] }],
    games: [
      {
        gameCode: 'demo-slot',
        providerId: 'gp1',
        name: 'Demo',
        studio: 'Test',
        launchUrl: 'http://127.0.0.1:9',
      },
    ],
  };
}
