import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db, type Document } from 'mongodb';
import { findBinary } from '../stack/binaries';
import { startChild, type Child } from '../stack/child';
import { REPLICA_SET, serverArgs } from '../stack/mongod';
import { freePorts } from '../stack/ports';
import { until } from '../stack/until';

export interface ReplicaSet {
  uri: string;
  pids: Record<string, number>;
  /** `kill -9` of the primary. Returns its name in `pids`. */
  killPrimary(): Promise<string>;
  close(): Promise<void>;
}

const IP = '127.0.0.1';
const START_MS = 60_000;
const PRIMARY = 1;
const SECONDARY = 2;

/** Starts a replica set of three mongods with no data. Resolves when one is primary and two are secondaries. */
export async function startReplicaSet(): Promise<ReplicaSet> {
  const binary = await findBinary('mongod');
  const dir = await mkdtemp(join(tmpdir(), 'gameround-bench-mongodb-'));
  const members: { name: string; host: string; child: Child }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(members.map(({ child }) => child.stop()));
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    for (const [at, port] of (await freePorts(3)).entries()) {
      const name = `mongod${at + 1}`;
      const dbPath = join(dir, name);
      await mkdir(dbPath);
      const args = serverArgs({ port, dbPath }, IP);
      const child = await startChild({ name, command: binary, args, logFile: `${dbPath}.log` });
      members.push({ name, host: `${IP}:${port}`, child });
    }
    const hosts = members.map(({ host }) => host);
    const uri = `mongodb://${hosts.join(',')}/?replicaSet=${REPLICA_SET}`;
    const config = { _id: REPLICA_SET, members: hosts.map((host, _id) => ({ _id, host })) };
    const initiate = (admin: Db): Promise<Document> => admin.command({ replSetInitiate: config });
    const waiting = { what: 'the replica set', timeoutMs: START_MS };
    await until(() => ask(`mongodb://${hosts[0]}/?directConnection=true`, initiate), waiting);
    await until(() => ask(uri, requireAll), waiting);
    return {
      uri,
      pids: Object.fromEntries(members.map(({ name, child }) => [name, child.pid])),
      killPrimary: async () => {
        const { primary } = await ask(uri, (admin) => admin.command({ hello: 1 }));
        const member = members.find(({ host }) => host === primary);
        if (member === undefined) throw new Error(`${primary} is no member`);
        process.kill(member.child.pid, 'SIGKILL');
        await member.child.exited;
        return member.name;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ask(uri: string, question: (admin: Db) => Promise<Document>): Promise<Document> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2_000 });
  try {
    return await question(client.db('admin'));
  } finally {
    await client.close();
  }
}

/** Throws unless all members are up and one is primary. */
async function requireAll(admin: Db): Promise<Document> {
  const status = await admin.command({ replSetGetStatus: 1 });
  const states = (status.members as { state: number }[]).map(({ state }) => state);
  const ready = states.includes(PRIMARY) && states.every((state) => state === PRIMARY || state === SECONDARY);
  if (!ready) throw new Error(`its members have the states ${states.join(', ')}`);
  return status;
}
