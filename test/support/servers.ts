import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../stack/binaries';
import { startMongod } from '../../stack/mongod';
import { freePorts } from '../../stack/ports';
import { startTemporal } from '../../stack/temporal';

/** Servers that all test files of one jest run share; addresses are in the environment as well. */
export interface TestServers {
  stop(): Promise<void>;
}

const PREFIX = 'gameround-test-';

/**
 * One Temporal development server and one mongod for this run, on free ports, with data in a folder that goes with them.
 * Sets TEST_TEMPORAL_ADDRESS, TEST_MONGODB_URI and TEST_SERVER_BINARY; what is already set is used as it is.
 */
export async function startTestServers(env: NodeJS.ProcessEnv = process.env): Promise<TestServers> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const dir = await ownFolder();
    undo.push(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));
    await startInto(env, dir, undo);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startInto(env: NodeJS.ProcessEnv, dir: string, undo: (() => Promise<void>)[]): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const [temporalPort, mongoPort] = (await freePorts(2)) as [number, number];
  const starting: Promise<void>[] = [];
  if (!env.TEST_TEMPORAL_ADDRESS) {
    starting.push(
      findBinary('temporal', { onProgress: say })
        .then((binary) =>
          startTemporal({ binary, port: temporalPort, dataFile: join(dir, 'temporal.db'), logDir: dir }),
        )
        .then((server) => {
          undo.push(() => server.stop());
          env.TEST_TEMPORAL_ADDRESS = server.address;
        }),
    );
  }
  if (!env.TEST_MONGODB_URI) {
    starting.push(
      findBinary('mongod', { onProgress: say })
        .then((binary) => startMongod({ binary, port: mongoPort, dbPath: join(dir, 'mongo'), logDir: dir }))
        .then((server) => {
          undo.push(() => server.stop());
          env.TEST_MONGODB_URI = server.uri;
        }),
    );
  }
  if (!env.TEST_SERVER_BINARY) {
    starting.push(
      findBinary('temporal-test-server', { onProgress: say }).then((binary) => {
        env.TEST_SERVER_BINARY = binary;
      }),
    );
  }
  // All settle before anything is judged, so that a failure of one leaves none of the others half started.
  const failed = (await Promise.allSettled(starting)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Named after our process, so that what a killed run left behind is known as such and removed. */
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
