import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../stack/until';
import { CERTIFICATES } from '../support/certificates';
import { compileWorker, type CompiledWorker } from '../support/worker-process';

/* A certificate of the Temporal connection that is replaced is used by the next start of the process, which comes by itself. */
jest.setTimeout(120_000);

let compiled: CompiledWorker;
beforeAll(async () => {
  compiled = await compileWorker();
});
afterAll(() => compiled?.remove());

test('a process ends with code 1 when its certificate and key are replaced, and not for half of a pair', async () => {
  const [old, fresh] = CERTIFICATES;
  const certificate = join(compiled.dir, 'client.pem');
  const key = join(compiled.dir, 'client-key.pem');
  await writeFile(certificate, old.certificate);
  await writeFile(key, old.key);
  const running = compiled.begin({
    ...{ walletUrl: 'http://127.0.0.1:9', walletTimeout: '5s', namespace: 'none', database: randomUUID() },
    temporalAddress: '127.0.0.1:9',
    environment: { TEMPORAL_TLS_CLIENT_CERT_PATH: certificate, TEMPORAL_TLS_CLIENT_KEY_PATH: key },
  });
  await logged('trying again until it can');
  await writeFile(certificate, fresh.certificate);
  await logged('the old ones stay in use');
  await writeFile(key, fresh.key);
  await expect(running.ready).rejects.toThrow(/the worker ended with 1:/);
  expect(running.log()).toContain('certificate files have changed; the process stops');

  async function logged(words: string): Promise<void> {
    const look = (): void => {
      if (!running.log().includes(words)) throw new Error(running.log());
    };
    await until(() => Promise.resolve().then(look), { what: words, timeoutMs: 60_000, everyMs: 200 });
  }
});
