import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../stack/binaries';
import { freePorts } from '../../stack/ports';
import { startTemporal, type TemporalServer } from '../../stack/temporal';

/** A private Temporal server of one test. Its database file can be copied and restored. */
export interface RestorableTemporal {
  readonly address: string;
  /** Stops the server and copies its database. The test has to call `start`. */
  copy(): Promise<void>;
  /** Stops the server and restores the copy. The test has to call `start`. */
  putBack(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const DATABASE = 'temporal.db';

export async function startRestorable(): Promise<RestorableTemporal> {
  const dir = await mkdtemp(join(tmpdir(), 'gameround-restored-'));
  const copies = await mkdtemp(join(tmpdir(), 'gameround-restored-'));
  const [port = 0] = await freePorts(1);
  const binary = await findBinary('temporal');
  let server: TemporalServer | undefined;
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  const start = async (): Promise<void> => {
    server = await startTemporal({ binary, port, dataFile: join(dir, DATABASE), logDir: dir });
  };
  /** Copies the database file and SQLite's files beside it. */
  async function move(from: string, to: string): Promise<void> {
    await stop();
    for (const name of await databaseFiles(to)) await rm(join(to, name));
    for (const name of await databaseFiles(from)) await copyFile(join(from, name), join(to, name));
  }
  await start();
  return {
    address: `127.0.0.1:${port}`,
    copy: () => move(dir, copies),
    putBack: () => move(copies, dir),
    start,
    remove: async () => {
      await stop();
      await rm(dir, { recursive: true, force: true });
      await rm(copies, { recursive: true, force: true });
    },
  };
}

async function databaseFiles(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.startsWith(DATABASE));
}
