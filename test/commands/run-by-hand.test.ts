import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/logging';
import { openDatabase } from '../../src/read-model/connect';
import { loadTenants } from '../../src/tenants';
import { compiledService } from '../support/e2e-build';
import { required } from '../support/rounds-harness';
import { bareEnvironment } from '../support/service-processes';

/* What a person runs beside a service: `npm run resume` and `npm run repair-records`. */
jest.setTimeout(60_000);

const SECRETS_KEY = Buffer.alloc(32, 7);

let service: string;
let dir: string;

beforeAll(async () => {
  service = await compiledService();
  dir = await mkdtemp(join(tmpdir(), 'gameround-by-hand-'));
  const operator = { operatorId: 'op1', operatorUrl: 'http://127.0.0.1:9', secrets: ['operator-secret'] };
  const tenants = { operators: [{ ...operator, currencies: { EUR: 1 } }] };
  await writeFile(join(dir, 'tenants.json'), JSON.stringify(tenants));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Run {
  code: unknown;
  stdout: string;
  stderr: string;
}

function run(script: string, args: readonly string[], change: NodeJS.ProcessEnv = {}): Promise<Run> {
  const env = {
    ...bareEnvironment(),
    ...{
      DATA_DIR: dir,
      SECRETS_KEY: SECRETS_KEY.toString('base64'),
      TENANTS_FILE: join(dir, 'tenants.json'),
      MONGODB_DATABASE: `by-hand-${randomUUID()}`,
    },
    TEMPORAL_ADDRESS: required('TEST_TEMPORAL_ADDRESS'),
    MONGODB_URI: required('TEST_MONGODB_URI'),
    ...change,
  };
  return new Promise((resolve) =>
    execFile(process.execPath, [join(service, 'src', script), ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    ),
  );
}

/** A service has written its tenants to MongoDB. */
async function serviceHasStarted(database: string): Promise<void> {
  const { client, db } = openDatabase(required('TEST_MONGODB_URI'), database);
  const options = { db, secretsKey: SECRETS_KEY, logger: createLogger({ level: 'error', process: 'api' }) };
  await (await loadTenants({ file: join(dir, 'tenants.json'), ...options })).close();
  await client.close();
}

const RESUME = ['resume.js', ['--operator', 'op1']] as const;
const REPAIR = ['repair.js', ['--since', new Date().toISOString()]] as const;

test.each([RESUME, REPAIR])('%s runs beside a service, whose ADMIN_PORT is in use', async (script, args) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const database = `by-hand-${randomUUID()}`;
  await serviceHasStarted(database);
  const change = { ADMIN_PORT: String(port), MONGODB_DATABASE: database };
  const { code, stdout, stderr } = await run(script, args, change);
  await new Promise((resolve) => taken.close(resolve));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/waiting rounds resumed|records repaired/);
});

test.each([
  ['resume.js', []],
  ['resume.js', ['op1']],
  ['resume.js', ['--operator']],
  ['resume.js', ['--operator', 'op1', 'op2']],
  ['repair.js', []],
  ['repair.js', ['--since', 'yesterday']],
  ['repair.js', ['--since', '5']],
  ['repair.js', ['--since', '2026-01-02T03:04:05']],
])('%s with the arguments %j prints its usage', async (script, args) => {
  const { code, stdout, stderr } = await run(script, args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^usage: npm run (resume|repair-records) -- .+\n$/);
});

const AWAY = '127.0.0.1:1';

test.each([
  [...RESUME, { MONGODB_URI: `mongodb://${AWAY}` }, 'MONGODB_URI: MongoDB does not respond'],
  [...REPAIR, { MONGODB_URI: `mongodb://${AWAY}` }, 'MONGODB_URI: MongoDB does not respond'],
  [...REPAIR, { TEMPORAL_ADDRESS: AWAY }, 'TEMPORAL_ADDRESS: Temporal does not respond'],
] as const)('%s says in one line that a server is away', async (script, args, change, line) => {
  const { code, stderr } = await run(script, args, change);
  expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(line)]]);
  expect(stderr).not.toContain('Resolution note');
});

test('resume names an operator that does not exist', async () => {
  const { code, stderr } = await run('resume.js', ['--operator', 'opX']);
  expect([code, stderr]).toEqual([1, 'there is no operator "opX" in MongoDB\n']);
});
