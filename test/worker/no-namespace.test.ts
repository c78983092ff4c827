import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../stack/ports';
import { until } from '../support/player';
import { compiledService } from '../support/e2e-build';
import { required } from '../support/rounds-harness';
import { bareEnvironment } from '../support/service-processes';

jest.setTimeout(60_000);

test.each(['src/main.js', 'worker/main.js', 'worker/with-api.js'])(
  '%s says in one line that TEMPORAL_NAMESPACE does not exist',
  async (script) => {
    const dir = await mkdtemp(join(tmpdir(), 'gameround-namespace-'));
    const namespace = `nowhere-${randomUUID()}`;
    const [port] = await freePorts(1);
    const child = spawn(process.execPath, [join(await compiledService(), script)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...bareEnvironment(),
        ...{ PORT: String(port), ADMIN_PORT: '0', DATA_DIR: dir, MONGODB_DATABASE: namespace },
        TEMPORAL_ADDRESS: required('TEST_TEMPORAL_ADDRESS'),
        TEMPORAL_NAMESPACE: namespace,
        MONGODB_URI: required('TEST_MONGODB_URI'),
      },
    });
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      await until(
        () => Promise.resolve(log),
        (text) => text.includes(`"TEMPORAL_NAMESPACE: Namespace ${namespace} is not found."`),
      );
    } finally {
      child.kill('SIGTERM');
      await ended;
      await rm(dir, { recursive: true, force: true });
    }
  },
);
