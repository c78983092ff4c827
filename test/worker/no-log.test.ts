import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { freePorts } from '../../stack/ports';
import { until } from '../../stack/until';
import { compileWorker, type CompiledWorker } from '../support/worker-process';

/* A log that nobody takes: the process goes on, and it ends when it is told to. Temporal and MongoDB are not there. */
jest.setTimeout(60_000);

let compiled: CompiledWorker;
beforeAll(async () => {
  compiled = await compileWorker();
});
afterAll(() => compiled?.remove());

/** A worker, told to stop after its first lines; its exit code, or `null` where it did not end. */
async function endOf(stdout: 'pipe' | number, begun: (child: ChildProcess) => void): Promise<number | null> {
  const [port = 0] = await freePorts(1);
  const child = spawn(process.execPath, [join(compiled.dir, 'worker', 'main.js')], {
    stdio: ['ignore', stdout, 'ignore'],
    env: {
      PATH: process.env.PATH,
      ...{ TEMPORAL_ADDRESS: '127.0.0.1:9', MONGODB_URI: 'mongodb://127.0.0.1:9/?directConnection=true' },
      ...{ MONGODB_DATABASE: randomUUID(), DATA_DIR: compiled.dir, ADMIN_PORT: String(port) },
    },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  begun(child);
  await until(() => fetch(`http://127.0.0.1:${port}/health/live`), {
    what: 'the process',
    timeoutMs: 30_000,
  });
  // Lines of its start come after that.
  await sleep(2_000);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  const code = await Promise.race([ended, sleep(20_000, null, { ref: false })]);
  child.kill('SIGKILL');
  return code;
}

test('the exit status of a command is the one that it has set', () => {
  const script = `require('./src/lifecycle').runProcess(async () => { process.exitCode = 1; })`;
  expect(spawnSync(process.execPath, ['-e', script], { cwd: compiled.dir }).status).toBe(1);
});

test('the disk of the log is full', async () => {
  const full = openSync('/dev/full', 'w');
  try {
    expect(await endOf(full, () => undefined)).toBe(0);
  } finally {
    closeSync(full);
  }
});

test('the reader of the log is gone before the first line', async () => {
  expect(await endOf('pipe', ({ stdout }) => stdout?.destroy())).toBe(0);
});
