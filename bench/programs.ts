import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../stack/paths';
import { startPostgres } from './postgres';

/** Another program that `npm run bench` measures, beside the product. */
export interface Program {
  url: string;
  paths: readonly [contender: string, kind: string, path: string][];
  /** Process ids by name. The bench measures their CPU time. */
  pids: Record<string, number>;
  close(): Promise<void>;
}

type Addresses = Record<'TEMPORAL_ADDRESS' | 'MONGODB_URI' | 'WALLET_URL', string>;

const READY_TIMEOUT_MS = 90_000;
const run = promisify(execFile);

/** Starts the programs `floor` and `naive` of bench/floor. */
export async function startFloor(addresses: Addresses): Promise<Program> {
  const program = await start('floor', require.resolve('./floor/program'), { ...addresses });
  return {
    ...program,
    paths: [
      ['floor', 'losing spin', '/spin?as=floor'],
      ['naive', 'losing spin', '/spin?as=naive'],
      ['bare read', 'read of a closed round', '/read'],
    ],
  };
}

/** Starts the alternatives to the product (bench/peers). One that can't run here is left out; a line says why. */
export async function startPeers(addresses: Addresses): Promise<Program[]> {
  const folder = join(projectRoot(), 'bench', 'peers');
  try {
    if (!existsSync(join(folder, 'node_modules'))) {
      console.log('installing the peers (bench/peers)');
      await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
    }
  } catch (error) {
    console.log(`peers are left out: their packages can not be installed (${firstLine(error)})`);
    return [];
  }
  const starters = {
    plain: () => start('plain', join(folder, 'plain.cjs'), { ...addresses }),
    restate: () => start('restate', join(folder, 'restate.cjs'), { ...addresses }),
    dbos: () => startDbos(join(folder, 'dbos.cjs'), addresses),
  };
  const programs: Program[] = [];
  for (const [name, begin] of Object.entries(starters)) {
    try {
      programs.push({ ...(await begin()), paths: [[name, 'losing spin', '/spin']] });
    } catch (error) {
      console.log(leftOut(name, error));
    }
  }
  return programs;
}

export function leftOut(name: string, error: unknown): string {
  return `${name} is left out: ${firstLine(error)}`;
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
}

/** Starts a program that sends its port over IPC and ends when this process disconnects. */
async function start(name: string, script: string, env: NodeJS.ProcessEnv): Promise<Omit<Program, 'paths'>> {
  const child = fork(script, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const pids: Record<string, number> = { [name]: child.pid ?? 0 };
  const port = await new Promise<number>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('it did not start in time')), READY_TIMEOUT_MS);
    child.on('message', (told: { port?: number; pids?: Record<string, number> }) => {
      Object.assign(pids, told.pids);
      if (told.port === undefined) return;
      clearTimeout(late);
      resolve(told.port);
    });
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`it ended with ${code}`));
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pids,
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Starts DBOS with its own PostgreSQL server. Throws if PostgreSQL is not installed. */
async function startDbos(script: string, addresses: Addresses): Promise<Omit<Program, 'paths'>> {
  const postgres = await startPostgres();
  try {
    const program = await start('dbos', script, { ...addresses, DBOS_DATABASE_URL: postgres.url });
    return {
      ...program,
      pids: { ...program.pids, postgres: postgres.pid },
      close: async () => {
        await program.close();
        await postgres.close();
      },
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}
