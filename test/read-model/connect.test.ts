import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { openDatabase } from '../../src/read-model/connect';
import { createGuards, ensureGuardIndex } from '../../src/read-model/guards';
import { createSessionStore } from '../../src/sessions/store';
import { findBinary } from '../../stack/binaries';
import { startChild, type Child } from '../../stack/child';
import { startMongod, type MongoServer } from '../../stack/mongod';
import { freePorts } from '../../stack/ports';
import { until } from '../../stack/until';

/* What a MONGODB_URI says of reads and writes gives way to what money needs (docs/interface#mongodb-primary). */

jest.setTimeout(120_000);

const LAX =
  'w=1&journal=false&wtimeoutMS=1&readConcernLevel=local&retryWrites=false&retryReads=false&readPreference=secondaryPreferred';

test.each([LAX, `${LAX}&maxStalenessSeconds=120`, `${LAX}&readPreferenceTags=dc:far`])(
  'reads go to the primary and writes to a majority, also with %s',
  async (options) => {
    const { client, db } = openDatabase(`mongodb://127.0.0.1:9/?${options}`, 'gameround');
    for (const part of [client, db, db.collection('sessions')]) {
      expect(part.readPreference).toMatchObject({ mode: 'primary' });
      expect(part.readPreference?.tags).toBeUndefined();
      expect(part.readConcern).toMatchObject({ level: 'majority' });
      expect(part.writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 5_000 });
    }
    expect(client.options).toMatchObject({ retryWrites: true, retryReads: true });
    await client.close();
  },
);

describe('a replica set whose secondary is an hour behind', () => {
  let dir: string;
  let primary: MongoServer;
  let secondary: Child;
  let uri: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gameround-replicas-'));
    const binary = await findBinary('mongod');
    const [first = 0, second = 0] = await freePorts(2);
    primary = await startMongod({ binary, port: first, dbPath: join(dir, 'first'), logDir: dir });
    const dbPath = join(dir, 'second');
    await mkdir(dbPath);
    secondary = await startChild({
      ...{ name: 'secondary', command: binary, logFile: join(dir, 'second.log') },
      args: ['--replSet', 'rs0', '--dbpath', dbPath, '--port', `${second}`, '--bind_ip', '127.0.0.1'],
    });
    const behind = { _id: 1, host: `127.0.0.1:${second}`, priority: 0, votes: 0, secondaryDelaySecs: 3_600 };
    await reconfigure((members) => [...members, behind]);
    const admin = await MongoClient.connect(primary.uri);
    const caughtUp = async (): Promise<void> => {
      const { members } = (await admin.db('admin').command({ replSetGetStatus: 1 })) as {
        members: { stateStr: string }[];
      };
      const state = members[1]?.stateStr;
      if (state !== 'SECONDARY') throw new Error(state);
    };
    await until(caughtUp, { what: 'the secondary', timeoutMs: 60_000, everyMs: 200 });
    await admin.close();
    uri = `mongodb://127.0.0.1:${first},127.0.0.1:${second}/?replicaSet=rs0&readPreference=secondary`;
  });

  afterAll(async () => {
    // A server of a set takes its time to leave it.
    for (const { pid } of [secondary, primary]) process.kill(pid, 'SIGKILL');
    await Promise.all([secondary.exited, primary.child.exited]);
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  async function reconfigure(change: (members: object[]) => object[]): Promise<void> {
    const admin = await MongoClient.connect(primary.uri);
    const { config } = (await admin.db('admin').command({ replSetGetConfig: 1 })) as {
      config: { members: object[]; version: number };
    };
    const next = { ...config, members: change(config.members), version: config.version + 1 };
    await admin.db('admin').command({ replSetReconfig: next });
    await admin.close();
  }

  it('is never asked: a session and a guard are found as soon as they are written', async () => {
    const { client, db } = openDatabase(uri, 'gameround');
    const now = new Date();
    const guards = createGuards(db);
    const key = { operatorId: 'op1', playerId: 'p', gameCode: 'g', mode: 'real' };
    await guards.take(key, 'round');
    expect(await guards.holder(key)).toMatchObject({ gameround: 'round' });
    const sessions = createSessionStore(db);
    await sessions.addSession({ _id: 'session', deleteAt: now } as never);
    await sessions.logOut('session', now.getTime());
    expect(await sessions.session('session')).toMatchObject({ loggedOutAt: now });
    await client.close();
  });

  it('has to acknowledge a guard if it is needed for a majority, also one that an earlier call has written', async () => {
    const { client, db } = openDatabase(uri, 'gameround');
    await ensureGuardIndex(db);
    await reconfigure(([first, behind]) => [first!, { ...behind, votes: 1 }]);
    const guards = createGuards(db);
    const key = { operatorId: 'op1', playerId: 'other', gameCode: 'g', mode: 'real' };
    await expect(guards.take(key, 'one')).rejects.toThrow();
    await expect(guards.take(key, 'one')).rejects.toThrow();
    await expect(guards.confirm(key, 'one', 1)).rejects.toThrow();
    await client.close();
  });
});
