import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { EXPORT_ID, EXPORT_WORKFLOW } from '../../src/contracts/export';
import { findBinary } from '../../stack/binaries';
import { freePorts } from '../../stack/ports';
import { startTemporal, type TemporalServer } from '../../stack/temporal';
import { until } from '../../stack/until';
import { isAlive } from '../stack/processes';
import { compileWorker, type CompiledWorker } from '../support/worker-process';

/* Whatever the Temporal server or the export folder does then, a worker that is told to stop ends by itself. */
jest.setTimeout(120_000);

let dir: string;
let compiled: CompiledWorker;
let server: TemporalServer;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gameround-stop-'));
  compiled = await compileWorker();
});
beforeEach(async () => {
  const [port = 0] = await freePorts(1);
  const binary = await findBinary('temporal');
  server = await startTemporal({ binary, port, dataFile: join(dir, `${port}.db`), logDir: dir });
});
afterEach(async () => {
  if (isAlive(server.pid)) process.kill(server.pid, 'SIGCONT');
  await server.stop();
});
afterAll(async () => {
  await compiled.remove();
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
});

test.each<[string, NodeJS.Signals]>([
  ['is frozen', 'SIGSTOP'],
  ['is gone', 'SIGKILL'],
])('a worker stops while the Temporal server %s', async (_what, signal) => {
  const worker = await compiled.start({
    ...{ walletUrl: 'http://127.0.0.1:9', walletTimeout: '5s', database: 'stop' },
    ...{ namespace: server.namespace, temporalAddress: server.address },
  });
  process.kill(server.pid, signal);
  expect(await worker.stop()).toBe(0);
});

test('a worker stops while its export folder hangs', async () => {
  // Reading a pipe to which no one writes blocks, as a file of a network folder whose server is gone.
  const folder = join(dir, 'hangs');
  await mkdir(folder);
  execFileSync('mkfifo', [join(folder, 'exported-until.txt')]);
  const worker = await compiled.start({
    ...{ walletUrl: 'http://127.0.0.1:9', walletTimeout: '5s', database: 'stop' },
    ...{ namespace: server.namespace, temporalAddress: server.address },
    environment: { EXPORT_TO: folder },
  });
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection, namespace: server.namespace });
  await client.schedule.getHandle(EXPORT_ID).trigger();
  await until(
    async () => {
      for await (const { workflowId } of client.workflow.list({
        query: `WorkflowType = '${EXPORT_WORKFLOW}'`,
      })) {
        const { raw } = await client.workflow.getHandle(workflowId).describe();
        if (raw.pendingActivities?.[0]?.lastStartedTime) return;
      }
      throw new Error('the export has not begun');
    },
    { what: 'the export', timeoutMs: 30_000 },
  );
  await connection.close();
  const stopped = worker.stop().then(() => 'ended');
  const waited = sleep(30_000, 'still there', { ref: false });
  const how = await Promise.race([stopped, waited]);
  await worker.kill();
  expect(how).toBe('ended');
  expect(worker.log()).toContain('worker is stopping');
});
