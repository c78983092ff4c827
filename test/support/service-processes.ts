import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findBinary } from '../../stack/binaries';
import type { Child } from '../../stack/child';
import { startMongod } from '../../stack/mongod';
import { startTemporal } from '../../stack/temporal';

/* Parts of a private service, for the end-to-end tests, the benches and chaos. */

export type Server = 'temporal' | 'mongod';

/** Starts a server on the data of an earlier one, if there is any. Returns when it answers. */
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

/** Only those variables of this machine's environment that a program needs to run. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG };
}

/** False if the process has already ended. Then another part of the test notices that. */
export function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Removes the data. If E2E_LOGS names a folder, copies the processes' logs there first, to examine a failed run. */
export async function removeServiceData(dataDir: string): Promise<void> {
  const kept = process.env.E2E_LOGS;
  if (kept) await cp(logDirOf(dataDir), join(kept, basename(dataDir)), { recursive: true });
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
