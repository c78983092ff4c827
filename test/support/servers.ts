import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, type BinaryName } from '../../stack/binaries';
import { startMongod } from '../../stack/mongod';
import { freePorts } from '../../stack/ports';
import { startTemporal } from '../../stack/temporal';

/** Servers that all test files of one jest run share. Their addresses are in the environment. */
export interface TestServers {
  stop(): Promise<void>;
}

type Find = (name: BinaryName) => Promise<string>;
type Variable = 'TEST_TEMPORAL_ADDRESS' | 'TEST_MONGODB_URI' | 'TEST_SERVER_BINARY';

/** The value of a variable, and a function that stops the server that was started for it. */
interface Started {
  readonly value: string;
  readonly stop?: () => Promise<void>;
}

const PREFIX = 'gameround-test-';

/**
 * Starts one Temporal development server and one mongod for this run, on free ports, with data in a folder that `stop`
 * removes. Sets TEST_TEMPORAL_ADDRESS, TEST_MONGODB_URI and TEST_SERVER_BINARY. A variable that is already set stays,
 * and nothing is started for it.
 */
export async function startTestServers(
  env: NodeJS.ProcessEnv = process.env,
  find: Find = findAloud,
): Promise<TestServers> {
  const dir = await ownFolder();
  const undo = [() => rm(dir, { recursive: true, force: true, maxRetries: 3 })];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const missing = Object.entries(await starters(dir, find)).filter(([variable]) => !env[variable]);
  const starting = missing.map(async ([variable, start]) => {
    const started = await start();
    if (started.stop) undo.push(started.stop);
    env[variable] = started.value;
  });
  // Waits for all before it reports a failure, so that no other server stays half started.
  const failed = (await Promise.allSettled(starting)).find((result) => result.status === 'rejected');
  if (failed === undefined) return { stop };
  await stop();
  throw failed.reason;
}

async function starters(dir: string, find: Find): Promise<Record<Variable, () => Promise<Started>>> {
  const [temporalPort = 0, mongoPort = 0] = await freePorts(2);
  return {
    TEST_TEMPORAL_ADDRESS: async () => {
      const dataFile = join(dir, 'temporal.db');
      const binary = await find('temporal');
      const server = await startTemporal({ binary, port: temporalPort, dataFile, logDir: dir });
      return { value: server.address, stop: () => server.stop() };
    },
    TEST_MONGODB_URI: async () => {
      const binary = await find('mongod');
      const server = await startMongod({ binary, port: mongoPort, dbPath: join(dir, 'mongo'), logDir: dir });
      return { value: server.uri, stop: () => server.stop() };
    },
    TEST_SERVER_BINARY: async () => ({ value: await find('temporal-test-server') }),
  };
}

function findAloud(name: BinaryName): Promise<string> {
  return findBinary(name, { onProgress: (line) => void process.stderr.write(`${line}\n`) });
}

/** Creates a folder named after our process, and removes folders of runs that were killed. */
async function ownFolder(): Promise<string> {
  const entries = (await readdir(tmpdir())).filter((entry) => entry.startsWith(PREFIX));
  const stale = entries.filter((entry) => !isAlive(Number(entry.slice(PREFIX.length).split('-')[0])));
  await Promise.all(stale.map((entry) => rm(join(tmpdir(), entry), { recursive: true, force: true })));
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

function isAlive(pid: number): boolean {
  if (existsSync('/proc/self')) return existsSync(`/proc/${pid}`);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
