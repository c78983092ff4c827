import { Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { compileStack, runStack, stackSettings, type CompiledStack, type RunningStack } from './compiled';
import { eventually, isAlive, processesNaming } from './processes';

/* One command starts everything and stops it (docs/interface#one-command). */
jest.setTimeout(120_000);

let compiled: CompiledStack;
let env: NodeJS.ProcessEnv;
let current: RunningStack | undefined;

beforeAll(async () => {
  compiled = await compileStack();
});
beforeEach(async () => {
  env = await stackSettings();
});
afterEach(async () => {
  current?.process.kill('SIGKILL');
  await current?.ended;
  current = undefined;
  for (const { pid } of processesNaming(String(env.DATA_DIR))) process.kill(pid, 'SIGKILL');
  await rm(String(env.DATA_DIR), { recursive: true, force: true, maxRetries: 5 });
});
afterAll(() => compiled.remove());

function start(): RunningStack {
  current = runStack(compiled.main, env);
  return current;
}

async function startReady(): Promise<RunningStack> {
  const stack = start();
  await stack.printed('gameround is ready');
  return stack;
}

/** Finds the process of a server by a text that only its command line has. */
function serverPid(stack: RunningStack, name: 'temporal.db' | 'mongodb'): number {
  const found = processesNaming(join(stack.dataDir, name)).find(({ command }) =>
    command.includes(stack.dataDir),
  );
  if (!found) throw new Error(`no process with ${name}`);
  return found.pid;
}

async function write(stack: RunningStack, id: string): Promise<void> {
  const client = new MongoClient(`mongodb://127.0.0.1:${stack.ports.mongodb}/?replicaSet=rs0`);
  await client
    .db('kept')
    .collection<{ _id: string }>('things')
    .insertOne({ _id: id }, { writeConcern: { w: 'majority', journal: true } });
  await client.close();
  const connection = await Connection.connect({ address: `127.0.0.1:${stack.ports.temporal}` });
  await connection.workflowService.startWorkflowExecution({
    namespace: 'default',
    requestId: id,
    workflowId: id,
    workflowType: { name: 'nothing' },
    taskQueue: { name: 'nobody' },
  });
  await connection.close();
}

async function kept(stack: RunningStack): Promise<{ things: string[]; workflows: string[] }> {
  const client = new MongoClient(`mongodb://127.0.0.1:${stack.ports.mongodb}/?replicaSet=rs0`);
  const things = await client
    .db('kept')
    .collection<{ _id: string }>('things')
    .find()
    .sort({ _id: 1 })
    .toArray();
  await client.close();
  const connection = await Connection.connect({ address: `127.0.0.1:${stack.ports.temporal}` });
  const workflows: string[] = [];
  for (const { _id } of things) {
    const { workflowExecutionInfo } = await connection.workflowService.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId: _id },
    });
    workflows.push(String(workflowExecutionInfo?.execution?.workflowId));
  }
  await connection.close();
  return { things: things.map(({ _id }) => _id), workflows };
}

describe('npm start', () => {
  it('prints addresses and the new token once, stops in order on SIGTERM and leaves nothing', async () => {
    const stack = await startReady();
    const token = readFileSync(join(stack.dataDir, 'backoffice-token'), 'utf8').trim();
    expect(statSync(join(stack.dataDir, 'secrets-key')).mode & 0o777).toBe(0o600);
    expect(stack.output()).toContain(token);
    expect(stack.output()).toContain(`http://127.0.0.1:${stack.ports.api}/docs`);
    expect(stack.output()).toContain(`http://127.0.0.1:${env.TEMPORAL_UI_PORT}`);
    expect((await fetch(`http://127.0.0.1:${env.TEMPORAL_UI_PORT}`)).status).toBe(200);

    stack.process.kill('SIGTERM');
    expect(await stack.ended).toBe(0);
    expect(processesNaming(stack.dataDir)).toEqual([]);
    const stops = (await stack.events()).filter(([, , what]) => what === 'stopped').map(([, name]) => name);
    expect(stops).toEqual(['service']);
    expect(stack.output()).toMatch(/service[^]*temporal[^]*mongod[^]*Stopped/);
    expect(existsSync(join(stack.dataDir, 'run'))).toBe(false);

    const again = await startReady();
    expect(again.output()).not.toContain(token);
    again.process.kill('SIGINT');
    again.process.kill('SIGINT');
    expect(await again.ended).toBe(0);
    expect(processesNaming(again.dataDir)).toEqual([]);
  });

  it('starts again whatever is killed, servers too, and keeps what they had', async () => {
    const stack = await startReady();
    await write(stack, 'before');
    const [service] = (await stack.events()).sort(([, a], [, b]) => a.localeCompare(b)).map(([pid]) => pid);
    const victims = [service, serverPid(stack, 'temporal.db'), serverPid(stack, 'mongodb')] as number[];
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    for (const name of ['service', 'temporal', 'mongod']) await stack.printed(`${name} runs again`);
    expect(stack.output()).toContain('ended unexpectedly by SIGKILL');
    expect((await fetch(`http://127.0.0.1:${stack.ports.api}/health/ready`)).status).toBe(200);

    await write(stack, 'between');
    expect(await kept(stack)).toEqual({ things: ['before', 'between'], workflows: ['before', 'between'] });
    stack.process.kill('SIGTERM');
    expect(await stack.ended).toBe(0);
    expect(processesNaming(stack.dataDir)).toEqual([]);
  });

  it('killed with -9, takes everything with it and goes on with the same state', async () => {
    const stack = await startReady();
    await write(stack, 'before');
    stack.process.kill('SIGKILL');
    await eventually(() => processesNaming(stack.dataDir).length === 0);

    const again = await startReady();
    expect(await kept(again)).toEqual({ things: ['before'], workflows: ['before'] });
  });

  it('ends the processes that a killed run left, and no others', async () => {
    const stack = await startReady();
    const mongod = serverPid(stack, 'mongodb');
    // As if the kernel had not told it: stopped processes don't end on SIGTERM.
    process.kill(mongod, 'SIGSTOP');
    const entry = readFileSync(join(stack.dataDir, 'run', 'mongod'), 'utf8');
    expect(JSON.parse(entry)).toEqual({ pid: mongod, marker: join(stack.dataDir, 'mongodb') });
    stack.process.kill('SIGKILL');
    await eventually(() => processesNaming(stack.dataDir).length === 1);
    await writeFile(
      join(stack.dataDir, 'run', 'stranger'),
      JSON.stringify({ pid: process.pid, marker: 'no such' }),
    );

    const again = start();
    await again.printed(`ending mongod (process ${mongod})`);
    process.kill(mongod, 'SIGCONT');
    await again.printed('gameround is ready');
    expect(isAlive(mongod)).toBe(false);
    expect(await readdir(join(stack.dataDir, 'run'))).not.toContain('stranger');
  });

  it('says which port is taken, for what, and what to do', async () => {
    const holder = createServer().listen(Number(env.MONGODB_PORT), '127.0.0.1');
    const stack = start();
    expect(await stack.ended).toBe(1);
    holder.close();
    expect(stack.output().trim()).toBe(
      `Port ${env.MONGODB_PORT}, needed for MongoDB, is in use. End the program that holds it, or set MONGODB_PORT to a free one.`,
    );
  });

  it('says the same of the port of health and metrics, if it is taken or given twice', async () => {
    const holder = createServer().listen(Number(env.ADMIN_PORT), '127.0.0.1');
    env = { ...env, MONGODB_PORT: env.PORT };
    const stack = start();
    expect(await stack.ended).toBe(1);
    holder.close();
    expect(stack.output().trim().split('\n')).toEqual([
      `Port ${env.ADMIN_PORT}, needed for health and metrics, is in use. End the program that holds it, or set ADMIN_PORT to a free one.`,
      `Port ${env.PORT}, needed for MongoDB, is given to something else too: set MONGODB_PORT to a free one.`,
    ]);
  });

  it('refuses a second one on the same data', async () => {
    await startReady();
    const second = runStack(compiled.main, env);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`is using ${env.DATA_DIR}`);
  });

  it('names a wrong setting', async () => {
    env = { ...env, TEMPORAL_UI_PORT: 'web' };
    const stack = start();
    expect(await stack.ended).toBe(1);
    expect(stack.output()).toContain('TEMPORAL_UI_PORT: must be a port');
  });

  it('reports a fault in TENANTS_FILE before it starts anything', async () => {
    env = { ...env, TENANTS_FILE: join(__dirname, '../../package.json') };
    const stack = start();
    expect(await stack.ended).toBe(1);
    expect(stack.output()).toMatch(/^TENANTS_FILE \S+ is not usable:\n {2}\S/);
    expect(stack.output()).not.toContain('starting');
  });

  it('stopped in the middle of starting, leaves nothing', async () => {
    const stack = start();
    await stack.printed('starting MongoDB');
    stack.process.kill('SIGINT');
    expect(await stack.ended).toBe(0);
    expect(processesNaming(stack.dataDir)).toEqual([]);
  });

  it('does not start a server whose address is given', async () => {
    env = {
      ...env,
      TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS,
      MONGODB_URI: process.env.TEST_MONGODB_URI,
    };
    const stack = await startReady();
    expect(stack.output()).not.toContain('starting MongoDB');
    expect(stack.output()).not.toContain('starting Temporal');
    stack.process.kill('SIGTERM');
    expect(await stack.ended).toBe(0);
  });
});
