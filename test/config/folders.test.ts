import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import { stackSettings } from '../stack/compiled';
import { compiledService } from '../support/e2e-build';

/* A folder that can't be made, though the one above it is there: Node's own `recursive` never returns. */
jest.setTimeout(60_000);
const NEVER = '/proc/gameround';

let service: string;
let settings: NodeJS.ProcessEnv;
beforeAll(async () => {
  service = await compiledService();
  settings = await stackSettings();
});
afterAll(() => rm(String(settings.DATA_DIR), { recursive: true, force: true }));

const SECRETS = { SECRETS_KEY: Buffer.alloc(32).toString('base64'), BACKOFFICE_TOKEN: randomUUID() };

test.each([
  ['src/main.js', 'DATA_DIR', {}],
  ['stack/main.js', 'DATA_DIR', {}],
  ['stack/main.js', 'DATA_DIR', SECRETS],
  ['stack/main.js', 'GAMEROUND_CACHE', { PATH: '' }],
])('%s names %s', async (script, name, change) => {
  const env = { ...settings, [name]: NEVER, ...change };
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(
      process.execPath,
      [join(service, script)],
      { env, timeout: 20_000, killSignal: 'SIGKILL' },
      (error, _stdout, text) => resolve({ code: error?.code, stderr: text }),
    ),
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^The settings are not usable:\\n  .*\\b${name}\\b.*\\n$`));
});

test('the sandbox names DATA_DIR', async () => {
  const wallet = createWalletApp({ host: '127.0.0.1', port: 0, serviceUrl: 'http://x', dataDir: NEVER });
  await expect(wallet.start()).rejects.toThrow(/DATA_DIR/);
});
