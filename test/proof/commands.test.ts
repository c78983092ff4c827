import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { optionsOf, type Options } from '../../proof/command';
import { projectRoot } from '../../stack/paths';
import { finished, playerOf } from '../support/player';
import { required, startRounds, type RoundsHarness } from '../support/rounds-harness';
import { bareEnvironment } from '../support/service-processes';

/* A mistake in a setting or option of a command is one line that says what to do, and no stack trace. */

const NOTHING = '127.0.0.1:1';
const NO_ROUND = 'c78c5a24-5706-8ceb-8dc9-3b5ccd1a065e';
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

let harness: RoundsHarness;
let folder: string;
let hash: string;

beforeAll(async () => {
  harness = await startRounds();
  folder = await mkdtemp(join(tmpdir(), 'gameround-commands-'));
  hash = (await playerOf(harness).start({ endGame: true })).gameRoundInfo.hash;
  await finished(harness, hash);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await harness?.stop();
});

/** Runs a command as a person does, with a real Temporal server and MongoDB. */
async function run(name: string, args: string[], change: NodeJS.ProcessEnv = {}) {
  const env = {
    ...bareEnvironment(),
    ...{ DATA_DIR: folder, ENVIRONMENT: 'test', EXPORT_TO: 'off', SANDBOX: 'off' },
    TEMPORAL_ADDRESS: required('TEST_TEMPORAL_ADDRESS'),
    MONGODB_URI: required('TEST_MONGODB_URI'),
    MONGODB_DATABASE: harness.db.databaseName,
    ...change,
  };
  const command = [join('node_modules', '.bin', 'tsx'), join('proof', `main-${name}.ts`), ...args];
  const ran = promisify(execFile)(process.execPath, command, { cwd: projectRoot(), env });
  return ran.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

const AWAY = { TEMPORAL_ADDRESS: NOTHING };
const OTHER = { TEMPORAL_NAMESPACE: 'none' };
const NO_MONGODB = { MONGODB_URI: `mongodb://${NOTHING}/?serverSelectionTimeoutMS=500` };

test.each<[string, [name: string, args: string[], change: NodeJS.ProcessEnv][], string]>([
  [
    'a Temporal that is away',
    [
      ['audit', [], AWAY],
      ['dossier', ['--hash', NO_ROUND], AWAY],
      ['export', ['--dir', tmpdir()], AWAY],
    ],
    'TEMPORAL_ADDRESS: Temporal does not respond',
  ],
  [
    'a namespace that is not there',
    [
      ['audit', [], OTHER],
      ['dossier', ['--hash', NO_ROUND], OTHER],
      ['export', ['--dir', tmpdir()], OTHER],
    ],
    'TEMPORAL_NAMESPACE: ',
  ],
  ['a MongoDB that is away', [['rebuild', [], NO_MONGODB]], 'MONGODB_URI: MongoDB does not respond'],
  [
    'a round that is not there',
    [['dossier', ['--hash', NO_ROUND.toUpperCase()], {}]],
    `there is neither a history nor a record of ${NO_ROUND}`,
  ],
  [
    'a bucket without a region',
    [
      ['audit', ['--dir', 's3://none'], {}],
      ['export', ['--dir', 's3://none'], {}],
    ],
    'AWS_REGION is not set',
  ],
  [
    'a bucket without credentials',
    [['export', ['--dir', 's3://none'], { AWS_REGION: 'eu-west-1', AWS_EC2_METADATA_DISABLED: 'true' }]],
    'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: ',
  ],
  [
    'an object store that is away',
    [['export', [], { EXPORT_TO: 's3://none', EXPORT_ENDPOINT: `http://${NOTHING}`, ...CREDENTIALS }]],
    'the object store refuses the call or does not respond: ',
  ],
  [
    'a folder that can not be made',
    [
      ['export', ['--dir', '/proc/x'], {}],
      ['export', ['--dir', '/proc/x/y'], {}],
    ],
    "ENOENT: no such file or directory, mkdir '/proc/x'",
  ],
  ['a folder in a file', [['export', ['--dir', '/etc/passwd/x'], {}]], 'ENOTDIR: not a directory'],
  [
    'a file in the place of a folder',
    [['export', ['--dir', '/etc/passwd'], {}]],
    'there is no folder /etc/passwd',
  ],
])('each command says in one line that it meets %s', async (_, commands, line) => {
  const all = await Promise.all(commands.map(([name, args, change]) => run(name, args, change)));
  for (const { code, stderr, stdout } of all)
    expect([code, stdout, stderr.trim().split('\n')]).toEqual([1, '', [expect.stringContaining(line)]]);
});

test('a dossier goes into a folder that is there', async () => {
  const missing = await run('dossier', ['--hash', hash, '--out', join(folder, 'none', 'd.html')]);
  expect([missing.code, missing.stderr.trim().split('\n')]).toEqual([
    1,
    [expect.stringContaining("the dossier can't be written: ENOENT")],
  ]);
  const { code, stdout } = await run('dossier', ['--hash', hash, '--out', join(folder, 'd')]);
  const agree = 'The record in the database and the history agree in every field.';
  expect([code, stdout.replace(/[0-9a-f]{64}/, '[hash]')]).toEqual([
    0,
    `${join(folder, 'd.html')}\n${join(folder, 'd.json')}\nfingerprint [hash]\nrecord and history: ${agree}\n`,
  ]);
});

test.each(['dir', 'out', 'json', 'hash', 'operator'] as const)('an empty --%s is refused', (name) => {
  expect(() => optionsOf('the usage', [name], [`--${name}`, ''])).toThrow('usage: the usage');
  const value = name === 'hash' ? NO_ROUND : 'x';
  expect(optionsOf('the usage', [name], [`--${name}`, value])).toEqual({ [name]: value });
});

test.each<[keyof Options, string]>([
  ['since', 'yesterday'],
  ['since', '2026-01-02'],
  ['hash', 'xyz'],
  ['hash', `gameround-${NO_ROUND}`],
  ['operator', "a'b"],
])('a wrong --%s, %s, is named with its form', (name, value) => {
  expect(() => optionsOf('the usage', [name], [`--${name}`, value])).toThrow(
    expect.objectContaining({
      name: 'PersonNeededError',
      message: expect.stringMatching(
        `--${name}: ${JSON.stringify(value)} is not (a time|the hash|the id)`,
      ) as string,
    }) as Error,
  );
});
