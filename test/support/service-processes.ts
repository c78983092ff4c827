import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findBinary } from '../../stack/binaries';
import type { Child } from '../../stack/child';
import { startMongod } from '../../stack/mongod';
import { startTemporal } from '../../stack/temporal';

/* What every private service is made of, whoever starts it: the end-to-end tests, the benches, chaos. */

export type Server = 'temporal' | 'mongod';

/** Over the data of an earlier one, if there is any; returns when it answers. */
export async function startServer(
  server: Server,
  { dataDir, ports }: { dataDir: string; ports: Record<Server, number> },
): Promise<Child> {
  const binary = await findBinary(server);
  const logDir = logDirOf(dataDir);
  const started =
    server === 'temporal'
      ? startTemporal({ binary, port: ports.temporal, dataFile: join(dataDir, 'temporal.db'), logDir })
      : startMongod({ binary, port: ports.mongod, dbPath: join(dataDir, 'mongodb'), logDir });
  return (await started).child;
}

export function logDirOf(dataDir: string): string {
  return join(dataDir, 'logs');
}

/** Nothing of the machine's own settings but what a program needs to run. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG };
}

/** False where the process has gone by itself; whoever waits for something from it will notice. */
export function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** E2E_LOGS names a folder to keep the processes' logs in, for whoever has to find out why a run failed. */
export async function removeServiceData(dataDir: string): Promise<void> {
  const kept = process.env.E2E_LOGS;
  if (kept) await cp(logDirOf(dataDir), join(kept, basename(dataDir)), { recursive: true });
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
