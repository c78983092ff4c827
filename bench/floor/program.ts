import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import Koa from 'koa';
import { MongoClient } from 'mongodb';
import { Agent, request } from 'undici';

/*
 * The lower bound of `npm run bench`: a program that does only the steps that a spin needs (no signatures, no checks, no
 * rules), on the same Temporal server and MongoDB as the product. POST /spin takes the workflow's name in `?as=`. GET
 * /read is a bare findOne. bench/compare.ts starts it and gets the port over IPC.
 */

export interface Spin {
  id: string;
}

export interface FloorActivities {
  wallet: (spin: Spin) => Promise<string>;
  record: (spin: Spin) => Promise<void>;
}

const TASK_QUEUE = 'floor';

async function main(): Promise<void> {
  const { TEMPORAL_ADDRESS: address = '', MONGODB_URI: uri = '', WALLET_URL: walletUrl = '' } = process.env;
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const mongo = await new MongoClient(uri, { writeConcern: { w: 'majority', journal: true } }).connect();
  const db = mongo.db('floor');
  const guards = db.collection<{ _id: string }>('guards');
  const records = db.collection<{ _id: string; status: string }>('records');
  const dispatcher = new Agent({ connections: 256 });
  const activities: FloorActivities = {
    async wallet(spin) {
      const reply = await request(walletUrl, { method: 'POST', body: JSON.stringify(spin), dispatcher });
      return reply.body.text();
    },
    async record({ id }) {
      await records.updateOne({ _id: id }, { $set: { status: 'closed' } }, { upsert: true });
    },
  };
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowsPath: require.resolve('./workflows'),
    activities,
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentActivityTaskExecutions: 400,
  });
  const client = new Client({ connection: await Connection.connect({ address }) });
  const running = worker.run();

  async function spin(workflow: string): Promise<string> {
    const id = randomUUID();
    await guards.insertOne({ _id: id });
    const startWorkflowOperation = new WithStartWorkflowOperation(workflow, {
      workflowId: id,
      taskQueue: TASK_QUEUE,
      args: [{ id }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
    await client.workflow.executeUpdateWithStart('answer', { startWorkflowOperation });
    return id;
  }

  const app = new Koa();
  // A read finds a record also if no spin is measured before.
  let last = await spin('floor');
  app.use(async (context) => {
    if (context.path === '/spin') last = await spin(String(context.query.as));
    else context.body = await records.findOne({ _id: last });
    context.body ??= { id: last };
  });
  const server = createServer(app.callback());
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.once('disconnect', () => {
    server.close();
    worker.shutdown();
    void running.finally(() => process.exit(0));
  });
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
