import { Connection } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { MongoClient } from 'mongodb';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../stack/binaries';
import { startMongod, type MongoServer } from '../../stack/mongod';
import { freePorts, isPortFree } from '../../stack/ports';
import { prepareNamespace, startTemporal } from '../../stack/temporal';
import { testServerOptions } from '../../stack/test-server';
import { startTestServers } from '../support/servers';
import { isAlive, processesNaming } from './processes';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gameround-servers-'));
});
afterEach(async () => {
  for (const { pid } of processesNaming(dir)) process.kill(pid, 'SIGKILL');
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
});

async function port(): Promise<number> {
  return (await freePorts(1))[0] ?? 0;
}

describe('Temporal', () => {
  it('keeps closed rounds for 30 days, has the search attributes, and may be prepared again', async () => {
    const address = process.env.TEST_TEMPORAL_ADDRESS ?? '';
    await prepareNamespace(address);
    const connection = await Connection.connect({ address });
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    await connection.close();
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
    const names = ['OperatorId', 'PlayerId', 'GameCode', 'ProviderId', 'GameroundAttention'];
    expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(names));
  });

  it('says why it did not start, with its last lines, and leaves nothing', async () => {
    const binary = await findBinary('temporal');
    const [own, taken] = [await port(), Number(process.env.TEST_TEMPORAL_ADDRESS?.split(':')[1])];
    const settings = { binary, dataFile: join(dir, 'temporal.db'), logDir: dir };
    await expect(startTemporal({ ...settings, port: taken })).rejects.toThrow(
      `Port ${taken}, needed for Temporal`,
    );
    const starting = startTemporal({ ...settings, port: own, uiPort: taken });
    await expect(starting).rejects.toThrow(/the process ended with code 1.*temporal\.log[^]*in use/);
    expect(processesNaming(dir)).toEqual([]);
  });

  it('is started again if it panics, as it does when another process takes one of its inner ports', async () => {
    const binary = join(dir, 'panics-once');
    const script = `#!/bin/sh\n[ -e ${binary}.did ] || { touch ${binary}.did; exit 2; }\nexec ${await findBinary('temporal')} "$@"\n`;
    await writeFile(binary, script, { mode: 0o755 });
    const server = await startTemporal({ binary, port: await port(), logDir: dir });
    await server.stop();
    expect(existsSync(`${binary}.did`)).toBe(true);
  });
});

describe('mongod', () => {
  async function start(at: number): Promise<MongoServer> {
    const binary = await findBinary('mongod');
    return startMongod({ binary, port: at, dbPath: join(dir, 'data'), logDir: dir });
  }

  it('is a replica set that keeps its data over kill -9, also under another port', async () => {
    const first = await start(await port());
    await withClient(first.uri, (client) =>
      client
        .db('kept')
        .collection('things')
        .insertOne({ n: 1 }, { writeConcern: { w: 'majority', journal: true } }),
    );
    process.kill(first.pid, 'SIGKILL');
    expect(await first.child.exited).toEqual({ code: null, signal: 'SIGKILL' });

    const second = await start(await port());
    expect(
      await withClient(second.uri, (client) => client.db('kept').collection('things').countDocuments()),
    ).toBe(1);
    await second.stop();
    expect(isAlive(second.pid)).toBe(false);
    await second.stop();
  });
});

describe('the time-skipping test server', () => {
  it('skips a day in a moment', async () => {
    const env = await TestWorkflowEnvironment.createTimeSkipping(await testServerOptions());
    const before = await env.currentTimeMs();
    await env.sleep('24 hours');
    const after = await env.currentTimeMs();
    await env.teardown();
    expect(after - before).toBeGreaterThanOrEqual(24 * 3600 * 1000);
  });
});

describe('the servers of a test run', () => {
  const folders = async (): Promise<string[]> =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(`gameround-test-${process.pid}-`));

  it('use what the environment names and start nothing then', async () => {
    const given = { TEST_TEMPORAL_ADDRESS: 'a:1', TEST_MONGODB_URI: 'mongodb://b', TEST_SERVER_BINARY: '/c' };
    const env: NodeJS.ProcessEnv = { ...given };
    const before = await folders(); // the run's own, when this shares its process
    const servers = await startTestServers(env);
    await servers.stop();
    expect(env).toEqual(given);
    expect(await folders()).toEqual(before);
  });

  it('leave nothing when one of them cannot be started', async () => {
    const env: NodeJS.ProcessEnv = { TEST_SERVER_BINARY: '/c', TEST_TEMPORAL_ADDRESS: 'a:1' };
    const before = await folders();
    const find = (name: string): Promise<string> => Promise.resolve(`/nowhere/${name}`);
    await expect(startTestServers(env, find)).rejects.toThrow('/nowhere/mongod');
    expect(await folders()).toEqual(before);
  });
});

describe('a port', () => {
  it('is free or not', async () => {
    const [, taken] = (process.env.TEST_TEMPORAL_ADDRESS ?? '').split(':');
    expect(await isPortFree(Number(taken))).toBe(false);
    expect(await isPortFree(await port())).toBe(true);
  });
});

async function withClient<T>(uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
