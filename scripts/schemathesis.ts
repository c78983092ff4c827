import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tenants from '../sandbox/tenants.json';
import { defaultCacheDir } from '../stack/binaries';
import { readStackConfig } from '../stack/config';
import { projectRoot } from '../stack/paths';
import { runPip } from '../stack/pip';
import { freePorts } from '../stack/ports';
import { startStack } from '../stack/stack';

/*
 * `npm run build && npx tsx scripts/schemathesis.ts [more arguments of schemathesis]`: starts a whole service on free ports (Temporal,
 * mongod, worker, API, sandbox). schemathesis (PyPI) makes well-formed and malformed calls from /openapi.json, and
 * compares the answers with the document; see scripts/schemathesis/. Exit code 0 if nothing differs and every operation
 * succeeded often enough. SCHEMATHESIS_EXAMPLES: calls per operation in the random phase, default 200.
 */

const HERE = join(projectRoot(), 'scripts', 'schemathesis');
const PYTHON = 'python3';
const STRANGER = { providerId: 'stranger', secret: 'schemathesis-only' };

/** The least number of successes of an operation. It is low, because most calls are malformed on purpose. */
const leastSuccesses = (calls: number): number => Math.min(4, calls / 100);

type Counts = Record<string, Record<string, number>>;

async function main(): Promise<number> {
  const packages = await installed();
  const dataDir = await mkdtemp(join(tmpdir(), 'gameround-schemathesis-'));
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  try {
    const { env, baseUrl } = await environment(dataDir);
    const config = readStackConfig(env);
    const stack = await startStack({ config, env, say, signal: stopping.signal });
    try {
      const countsFile = join(dataDir, 'counts.json');
      const code = await schemathesis({ packages, baseUrl, countsFile, signal: stopping.signal });
      const counts = await readFile(countsFile, 'utf8').catch(() => undefined);
      if (counts === undefined) throw new Error('schemathesis ended without writing its counts');
      const problems = report(JSON.parse(counts) as Counts);
      problems.forEach((problem) => console.error(problem));
      return code === 0 && problems.length > 0 ? 1 : code;
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function say(line: string): void {
  console.log(`  ${line}`);
}

/** The folder of schemathesis in the cache, named after the version. If it is missing, pip installs it. */
async function installed(): Promise<string> {
  const file = join(HERE, 'requirements.txt');
  const [, version = ''] = /^schemathesis==(.+)$/m.exec(await readFile(file, 'utf8')) ?? [];
  const dir = join(defaultCacheDir(), `schemathesis-${version}`);
  if (existsSync(dir)) return dir;
  say(`fetching schemathesis ${version} from PyPI (100 MB on disk)`);
  await mkdir(defaultCacheDir(), { recursive: true });
  const aside = await mkdtemp(`${dir}.part-`);
  try {
    await runPip({ python: PYTHON, requirements: ['-r', file], target: aside, onProgress: say });
    await rename(aside, dir);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return dir;
}

/** The environment of the service. No other setting of this machine gets into it. */
async function environment(dataDir: string): Promise<{ env: NodeJS.ProcessEnv; baseUrl: string }> {
  const [api, admin, temporal, web, mongodb, wallet, game] = (await freePorts(7)).map(String);
  const { PATH, HOME, LANG, GAMEROUND_CACHE } = process.env;
  const tenantsFile = join(dataDir, 'tenants.json');
  await writeFile(tenantsFile, tenantsOn(`http://127.0.0.1:${wallet}`, `http://127.0.0.1:${game}`));
  return {
    baseUrl: `http://127.0.0.1:${api}`,
    env: {
      ...{ PATH, HOME, LANG, GAMEROUND_CACHE },
      ...{ PORT: api, ADMIN_PORT: admin },
      ...{ TEMPORAL_PORT: temporal, TEMPORAL_UI_PORT: web, MONGODB_PORT: mongodb },
      ...{ SANDBOX_WALLET_PORT: wallet, SANDBOX_GAME_PORT: game },
      DATA_DIR: dataDir,
      TENANTS_FILE: tenantsFile,
      // The sandbox is on this machine. The hooks act as the one trusted proxy that adds the players' addresses.
      CALLBACK_ADDRESSES: 'any',
      TRUSTED_PROXIES: '1',
      LOG_LEVEL: 'warn',
    },
  };
}

/** The sandbox's tenants with these URLs, and another provider for calls with made-up tokens. */
function tenantsOn(walletUrl: string, gameUrl: string): string {
  const { providerId, secret } = STRANGER;
  return JSON.stringify({
    operators: tenants.operators.map((operator) => ({ ...operator, operatorUrl: walletUrl })),
    providers: [
      ...tenants.providers.map((provider) => ({ ...provider, gameUrl })),
      { providerId, gameUrl, secrets: [secret] },
    ],
    games: tenants.games.map((game) => ({ ...game, launchUrl: `${gameUrl}/play` })),
  });
}

interface Run {
  packages: string;
  baseUrl: string;
  countsFile: string;
  signal: AbortSignal;
}

/** Runs schemathesis. Returns its exit code: 0 if it found nothing. */
function schemathesis({ packages, baseUrl, countsFile, signal }: Run): Promise<number> {
  const [operator] = tenants.operators;
  const [provider] = tenants.providers;
  const settings = {
    baseUrl,
    countsFile,
    parties: {
      operator: { id: operator!.operatorId, secret: operator!.secrets[0] },
      provider: { id: provider!.providerId, secret: provider!.secrets[0] },
      stranger: { id: STRANGER.providerId, secret: STRANGER.secret },
    },
  };
  const { PATH, HOME, LANG, SCHEMATHESIS_EXAMPLES = '200' } = process.env;
  const args = [
    ...['-c', 'from schemathesis.cli import schemathesis; schemathesis()'],
    ...['--config-file', join(HERE, 'schemathesis.toml'), 'run', `${baseUrl}/openapi.json`, '--url', baseUrl],
    ...['--max-examples', SCHEMATHESIS_EXAMPLES, ...process.argv.slice(2)],
  ];
  const child = spawn(PYTHON, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    cwd: tmpdir(),
    env: {
      ...{ PATH, HOME, LANG },
      PYTHONPATH: `${HERE}:${packages}`,
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: 'hooks',
      SCHEMATHESIS_GAMEROUND: JSON.stringify(settings),
    },
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
}

/** Prints the answers of each operation. Returns a line for each operation with too few successes. */
function report(counts: Counts): string[] {
  console.log('\nAnswers by operation (number of calls, number of successes, then all answers):');
  const problems: string[] = [];
  for (const [operation, answers] of Object.entries(counts).sort()) {
    const listed = Object.entries(answers).sort(([, left], [, right]) => right - left);
    const calls = listed.reduce((sum, [, count]) => sum + count, 0);
    const successes = answers['200'] ?? 0;
    const share = Math.round((successes / calls) * 100);
    const all = listed.map(([answer, count]) => `${answer} ×${count}`).join(', ');
    console.log(`  ${operation}: ${calls}, ${successes} (${share} %): ${all}`);
    if (successes < leastSuccesses(calls))
      problems.push(`${operation} was answered 200 only ${successes} times in ${calls}`);
  }
  return problems;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
