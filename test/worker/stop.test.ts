import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../stack/binaries';
import { freePorts } from '../../stack/ports';
import { startTemporal, type TemporalServer } from '../../stack/temporal';
import { isAlive } from '../stack/processes';
import { compileWorker, type CompiledWorker } from '../support/worker-process';

/* Whatever the Temporal server does then, a worker that is told to stop ends by itself. */
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
