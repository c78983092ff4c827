import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledService } from '../support/e2e-build';
import { required } from '../support/rounds-harness';
import { bareEnvironment } from '../support/service-processes';

/*
 * No process writes a secret, whichever setting has the secret, and whatever is wrong with the setting. The real processes
 * run with a marked secret in every setting, with right and with broken values.
 */
jest.setTimeout(120_000);

const newMark = (): string => `mark${randomBytes(12).toString('hex')}`;
const newKey = (): string => randomBytes(32).toString('base64');

const OPERATOR_SECRET = newMark();
const PROVIDER_SECRET = newMark();
const SECRETS_KEY = newKey();
const PAYLOAD_KEY = newKey();
const BACKOFFICE_TOKEN = newMark();
const API_KEY = newMark();
/** The marked secret of a broken setting. */
const MARK = newMark();
const ALL = [OPERATOR_SECRET, PROVIDER_SECRET, SECRETS_KEY, PAYLOAD_KEY, BACKOFFICE_TOKEN, API_KEY, MARK];

let service: string;
let dir: string;

beforeAll(async () => {
  service = await compiledService();
  dir = await mkdtemp(join(tmpdir(), 'gameround-secrets-'));
  await writeFile(join(dir, 'tenants.json'), JSON.stringify(tenants()));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  ALL.push(...key.split('\n').filter((line) => line.length > 20 && !line.startsWith('---')));
  await writeFile(join(dir, 'good-key.pem'), key);
  const broken = `-----BEGIN PRIVATE KEY-----\n${MARK}\n-----END PRIVATE KEY-----\n`;
  await writeFile(join(dir, 'broken.pem'), broken);
});
afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));

function tenants(operator: object = {}): object {
  return {
    operators: [
      {
        ...{ operatorId: 'op1', operatorUrl: 'http://127.0.0.1:9', secrets: [OPERATOR_SECRET] },
        ...{ autoCloseAfter: '24h', currencies: { EUR: 1 }, ...operator },
      },
    ],
    providers: [{ providerId: 'gp1', gameUrl: 'http://127.0.0.1:9', secrets: [PROVIDER_SECRET] }],
    games: [],
  };
}

function settings(change: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...bareEnvironment(),
    ...{ PORT: '18999', ADMIN_PORT: '0', DATA_DIR: dir, LOG_LEVEL: 'trace', SANDBOX: 'off' },
    TENANTS_FILE: join(dir, 'tenants.json'),
    TEMPORAL_ADDRESS: required('TEST_TEMPORAL_ADDRESS'),
    TEMPORAL_TLS: 'off',
    TEMPORAL_API_KEY: API_KEY,
    MONGODB_URI: required('TEST_MONGODB_URI'),
    MONGODB_DATABASE: `secrets-${process.pid}`,
    ...{ SECRETS_KEY, BACKOFFICE_TOKEN, PAYLOAD_KEYS: `k1:${PAYLOAD_KEY}` },
    ...change,
  };
}

interface Run {
  output: string;
  /** The exit code. Null if the process had to be stopped. */
  code: number | null;
}

const SCRIPTS = {
  service: 'worker/with-api.js',
  api: 'src/main.js',
  worker: 'worker/main.js',
  'codec server': 'src/codec-server/main.js',
  'npm start': 'stack/main.js',
} as const;
type Script = keyof typeof SCRIPTS;

/** Runs a process until it ends by itself or has written all of these texts. */
async function run(script: Script, change: NodeJS.ProcessEnv, ...texts: string[]): Promise<Run> {
  const child = spawn(process.execPath, [join(service, SCRIPTS[script])], {
    env: settings(change),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  let code: number | null = null;
  const ended = new Promise<void>((resolve) => child.once('close', (at) => ((code = at), resolve())));
  const over = ended.then(() => true);
  const deadline = Date.now() + 40_000;
  while (texts.length === 0 || !texts.every((text) => output.includes(text))) {
    if (await Promise.race([over, sleep(50, false)])) break;
    if (Date.now() > deadline) break;
  }
  const byItself = code;
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(force);
  return { output, code: byItself };
}

function secretsIn(output: string): string[] {
  const forms = (secret: string): string[] => [secret, encodeURIComponent(secret), secret.replace(/=+$/, '')];
  return ALL.filter((secret) => forms(secret).some((form) => output.includes(form)));
}

test.each<[Script, ...string[]]>([
  ['service', 'worker is polling', 'API listens'],
  ['api', 'API listens'],
  ['worker', 'worker is polling'],
  ['codec server', 'codec server listens'],
])('the %s runs with right settings that end with a line end', async (script, ...texts) => {
  const { output, code } = await run(
    script,
    {
      TEMPORAL_API_KEY: `${API_KEY}\n`,
      BACKOFFICE_TOKEN: ` ${BACKOFFICE_TOKEN}\r\n`,
      SECRETS_KEY: `${SECRETS_KEY}\n`,
      PAYLOAD_KEYS: `k1:${PAYLOAD_KEY}\n`,
      MONGODB_URI: `${required('TEST_MONGODB_URI')}\n`,
      CODEC_SERVER_PORT: '18998',
    },
    ...texts,
  );
  expect([code, secretsIn(output)]).toEqual([null, []]);
  for (const text of texts) expect(output).toContain(text);
});

const HOST = '127.0.0.1:9';

/** Broken settings that stop the process with an error that names the setting. */
const REFUSED: [setting: string, what: string, env: () => NodeJS.ProcessEnv][] = [
  ['TEMPORAL_API_KEY', 'a line end inside', () => ({ TEMPORAL_API_KEY: `${MARK}\n${MARK}` })],
  ['TEMPORAL_API_KEY', 'no ASCII', () => ({ TEMPORAL_API_KEY: `${MARK}ключ` })],
  ['TEMPORAL_API_KEY', 'a blank inside', () => ({ TEMPORAL_API_KEY: `Bearer ${MARK}` })],
  ['TEMPORAL_NAMESPACE', 'a line end inside', () => ({ TEMPORAL_NAMESPACE: `a\n${MARK}` })],
  ['BACKOFFICE_TOKEN', 'a line end inside', () => ({ BACKOFFICE_TOKEN: `${MARK}\n${MARK}` })],
  ['SECRETS_KEY', 'no key', () => ({ SECRETS_KEY: MARK })],
  ['PAYLOAD_KEYS', 'no key', () => ({ PAYLOAD_KEYS: `k1:${MARK}` })],
  ['BASE_URL', 'a password', () => ({ BASE_URL: `https://u:${MARK}@host` })],
  ['MONGODB_URI', 'a slash in the password', () => ({ MONGODB_URI: `mongodb://u:${MARK}/x@${HOST}/` })],
  ['MONGODB_URI', 'an @ in the name', () => ({ MONGODB_URI: `mongodb://u@v:${MARK}@${HOST}/` })],
  ['MONGODB_URI', 'a broken escape', () => ({ MONGODB_URI: `mongodb://u:${MARK}%@${HOST}/` })],
  ['MONGODB_URI', 'no port', () => ({ MONGODB_URI: `mongodb://u:${MARK}@127.0.0.1:port/` })],
  ['MONGODB_URI', 'no host', () => ({ MONGODB_URI: `mongodb://u:${MARK}@/` })],
  [
    'MONGODB_URI',
    'a secret for an option',
    () => ({ MONGODB_URI: `mongodb://${HOST}/?authMechanism=${MARK}` }),
  ],
  [
    'MONGODB_URI',
    'an option that is none',
    () => ({ MONGODB_URI: `mongodb://u:${MARK}@${HOST}/?${MARK}=1` }),
  ],
  ['MONGODB_URI', 'a blank inside', () => ({ MONGODB_URI: `mongodb://u:${MARK} x@${HOST}/` })],
  [
    'TEMPORAL_TLS_CLIENT_KEY_PATH',
    'no key',
    () => ({
      TEMPORAL_TLS: 'on',
      TEMPORAL_TLS_CLIENT_CERT_PATH: join(dir, 'broken.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: join(dir, 'broken.pem'),
    }),
  ],
  [
    'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    'a key in the place of a certificate',
    () => ({ TEMPORAL_TLS: 'on', TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(dir, 'good-key.pem') }),
  ],
];

test.each(REFUSED)('%s with %s is refused by name', async (setting, _what, env) => {
  for (const script of ['service', 'npm start'] as const) {
    const { output, code } = await run(script, env());
    expect([script, code, secretsIn(output)]).toEqual([script, 1, []]);
    expect(output).toContain(`${setting}: `);
  }
});

test.each<[what: string, text: (file: object) => string, name: string]>([
  ['cut JSON', (file) => JSON.stringify(file).slice(0, -20), 'cut.json'],
  ['JSON with a mark too many', (file) => JSON.stringify(file).replace('"]', '"x]'), 'mark.json'],
  ['broken YAML', (file) => `${JSON.stringify(file, null, 1)}\n  x: [`, 'broken.yaml'],
  ['a wrong type', () => JSON.stringify(tenants({ secrets: MARK })), 'type.json'],
  [
    'a user in a URL',
    () => JSON.stringify(tenants({ operatorUrl: `http://u:${MARK}@127.0.0.1` })),
    'user.json',
  ],
])('TENANTS_FILE, %s, is refused', async (_what, text, name) => {
  await writeFile(join(dir, name), text(tenants()));
  const { output, code } = await run('service', { TENANTS_FILE: join(dir, name) });
  expect([code, secretsIn(output)]).toEqual([1, []]);
  expect(output).toContain('TENANTS_FILE');
});

/** Settings that may be right, but that this server refuses now. The process keeps trying. */
test.each<[what: string, env: () => NodeJS.ProcessEnv, text: string]>([
  [
    'a wrong password of MongoDB',
    () => ({ MONGODB_URI: required('TEST_MONGODB_URI').replace('//', `//u:${MARK}@`) }),
    'MongoDB',
  ],
  [
    'a host of MongoDB that is not there',
    () => ({ MONGODB_URI: `mongodb+srv://u:${MARK}@nowhere.invalid/` }),
    'MongoDB',
  ],
  [
    'a key file of MongoDB that is not there',
    () => ({
      MONGODB_URI: `mongodb://u:${MARK}@${HOST}/?tls=true&tlsCertificateKeyFile=/no/file&tlsCertificateKeyFilePassword=${MARK}`,
    }),
    'MongoDB',
  ],
  ['a Temporal server that is not there', () => ({ TEMPORAL_ADDRESS: HOST }), 'Temporal'],
  ['a Temporal server that does not know TLS', () => ({ TEMPORAL_TLS: 'on' }), 'Temporal'],
])('%s', async (_what, env, server) => {
  const { output } = await run('service', env(), `${server} can't be reached`, 'API listens');
  expect(output).toContain(`${server} can't be reached`);
  expect(secretsIn(output)).toEqual([]);
});

test('an error of a library with a secret in its text is masked in the last line, too', async () => {
  const preload = join(dir, 'throws.cjs');
  await writeFile(
    preload,
    `setTimeout(() => { throw new Error('bad header ' + JSON.stringify(process.env.TEMPORAL_API_KEY)); }, 3_000);`,
  );
  for (const script of ['service', 'codec server'] as const) {
    const { output, code } = await run(script, {
      NODE_OPTIONS: `--require ${preload}`,
      CODEC_SERVER_PORT: '18998',
    });
    expect([script, code, secretsIn(output)]).toEqual([script, 1, []]);
    expect(output).toContain('bad header "***"');
  }
});

test('the search of these tests finds a secret that is there', () => {
  expect(secretsIn(`x ${MARK} y ${encodeURIComponent(SECRETS_KEY)}`)).toEqual([SECRETS_KEY, MARK]);
  expect(secretsIn(randomUUID())).toEqual([]);
});
