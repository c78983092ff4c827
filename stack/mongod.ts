import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient, MongoServerError, type Db, type Document } from 'mongodb';
import { startChild, type Child } from './child';
import { requireFree } from './ports';
import { until } from './until';

export interface MongodOptions {
  readonly binary: string;
  readonly port: number;
  readonly dbPath: string;
  readonly logDir: string;
  /** See ChildOptions.record. */
  readonly runDir?: string;
  readonly ip?: string;
  readonly ownGroup?: boolean;
  /** When aborted, the wait ends and the server is stopped. */
  readonly signal?: AbortSignal;
}

export interface MongoServer {
  readonly uri: string;
  readonly pid: number;
  readonly child: Child;
  stop(): Promise<void>;
}

export const REPLICA_SET = 'rs0';
const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 2_000;
const STOP_TIMEOUT_MS = 20_000;
const NOT_YET_INITIALIZED = 94;

/** Starts a replica set of one member, with new or existing data. Resolves when it is primary. */
export async function startMongod(options: MongodOptions): Promise<MongoServer> {
  const ip = options.ip ?? '127.0.0.1';
  const member = `${ip}:${options.port}`;
  await mkdir(options.dbPath, { recursive: true });
  await requireFree(options.port, ip, 'MongoDB');
  const child = await startChild({
    name: 'mongod',
    command: options.binary,
    args: serverArgs(options, ip),
    logFile: join(options.logDir, 'mongod.log'),
    ownGroup: options.ownGroup,
    ...(options.runDir === undefined ? {} : { record: { runDir: options.runDir, marker: options.dbPath } }),
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  try {
    await until(() => becomePrimary(member), {
      what: `MongoDB at ${member}`,
      timeoutMs: START_TIMEOUT_MS,
      child,
      signal: options.signal,
    });
  } catch (error) {
    await child.stop();
    throw error;
  }
  const uri = `mongodb://${member}/?replicaSet=${REPLICA_SET}`;
  return { uri, pid: child.pid, child, stop: () => child.stop() };
}

export function serverArgs({ port, dbPath }: Pick<MongodOptions, 'port' | 'dbPath'>, ip: string): string[] {
  return [
    ...['--replSet', REPLICA_SET, '--dbpath', dbPath, '--port', String(port), '--bind_ip', ip],
    // Small sizes, because all processes share the machine. No socket file in /tmp: it could belong to another user.
    ...['--wiredTigerCacheSizeGB', '0.5', '--oplogSize', '512', '--nounixsocket', '--quiet'],
  ];
}

/** Configures the replica set. Throws until the member is writable primary at the address that clients use. */
async function becomePrimary(member: string): Promise<void> {
  const client = new MongoClient(`mongodb://${member}/?directConnection=true`, {
    serverSelectionTimeoutMS: CALL_TIMEOUT_MS,
    connectTimeoutMS: CALL_TIMEOUT_MS,
  });
  try {
    const admin = client.db('admin');
    await configure(admin, member);
    const hello = await admin.command({ hello: 1 });
    if (hello.isWritablePrimary !== true) throw new Error('it is not primary yet');
  } finally {
    await client.close();
  }
}

async function configure(admin: Db, member: string): Promise<void> {
  const wanted = [{ _id: 0, host: member }];
  const config = await currentConfig(admin);
  if (config === undefined) {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: wanted } });
    return;
  }
  const hosts = (config.members as Document[]).map(({ host }) => host as unknown);
  if (hosts.length === 1 && hosts[0] === member) return;
  // The data was created with another port. Without a new configuration the member does not find itself in the set.
  const next = { ...config, members: wanted, version: Number(config.version) + 1 };
  await admin.command({ replSetReconfig: next, force: true });
}

async function currentConfig(admin: Db): Promise<Document | undefined> {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    return config as Document;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED) return undefined;
    throw error;
  }
}
