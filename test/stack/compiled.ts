import { transformFile } from '@swc/core';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../stack/paths';
import { freePorts } from '../../stack/ports';

/** The compiled stack, with stand-ins for the service and the sandbox. */
export interface CompiledStack {
  readonly main: string;
  remove(): Promise<void>;
}

/** With what they import, whatever that is. */
const SOURCES = ['stack', 'src'];

// A stand-in writes down what happens to it, which shows in which order things were stopped.
const STAND_IN = `
const { appendFileSync } = require('node:fs');
const note = (what) => appendFileSync(process.env.EVENTS, process.pid + ' ' + NAME + ' ' + what + '\\n');
note('started');
process.on('SIGTERM', () => { note('stopped'); process.exit(0); });
setInterval(() => {}, 1000);
`;
const STAND_IN_API = `
require('node:http').createServer((req, res) => {
  res.writeHead(req.url === '/health/ready' ? 200 : 404).end('{}');
}).listen(Number(process.env.PORT), process.env.HOST);
`;

/** Compiles into a folder of the project, since Node looks for modules in the parent folders. */
export async function compileStack(): Promise<CompiledStack> {
  const cache = join(projectRoot(), 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const dir = await mkdtemp(join(cache, 'stack-test-'));
  for (const source of SOURCES) await compileFolder(source, dir);
  await standIn(dir, 'worker/with-api.js', `const NAME = 'service';${STAND_IN}${STAND_IN_API}`);
  await standIn(dir, 'sandbox/main.js', `const NAME = 'sandbox';${STAND_IN}`);
  return { main: join(dir, 'stack', 'main.js'), remove: () => rm(dir, { recursive: true, force: true }) };
}

async function compileFolder(source: string, dir: string): Promise<void> {
  const from = join(projectRoot(), source);
  const files = (await readdir(from, { recursive: true })).filter((name) => name.endsWith('.ts'));
  for (const file of files) {
    const { code } = await transformFile(join(from, file), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    const to = join(dir, source, file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, code);
  }
}

async function standIn(dir: string, file: string, code: string): Promise<void> {
  await mkdir(join(dir, file, '..'), { recursive: true });
  await writeFile(join(dir, file), code);
}

export interface RunningStack {
  readonly process: ChildProcess;
  readonly env: NodeJS.ProcessEnv;
  readonly ports: { readonly api: number; readonly temporal: number; readonly mongodb: number };
  readonly dataDir: string;
  /** What it has printed so far. */
  output(): string;
  printed(text: string | RegExp, timeoutMs?: number): Promise<void>;
  /** Exit code, when it has ended. */
  readonly ended: Promise<number | null>;
  /** Lines of the stand-ins: process id, name, what happened. */
  events(): Promise<[pid: number, name: string, what: string][]>;
}

/** Settings with a folder and ports for one stack. The same settings start the stack again on the same state. */
export async function stackSettings(): Promise<NodeJS.ProcessEnv> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gameround-stack-'));
  const [api, admin, temporal, ui, mongodb] = (await freePorts(5)).map(String);
  return {
    ...process.env,
    npm_lifecycle_event: undefined,
    DATA_DIR: dataDir,
    EVENTS: join(dataDir, 'events'),
    PORT: api,
    ADMIN_PORT: admin,
    TEMPORAL_PORT: temporal,
    TEMPORAL_UI_PORT: ui,
    MONGODB_PORT: mongodb,
    SANDBOX: 'off',
  };
}

export function runStack(main: string, env: NodeJS.ProcessEnv): RunningStack {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  return {
    process: child,
    env,
    ports: {
      api: Number(env.PORT),
      temporal: Number(env.TEMPORAL_PORT),
      mongodb: Number(env.MONGODB_PORT),
    },
    dataDir: String(env.DATA_DIR),
    output: () => output,
    printed: (text, timeoutMs = 40_000) => printed(() => output, text, ended, timeoutMs),
    ended,
    events: () => readEvents(String(env.EVENTS)),
  };
}

async function printed(
  output: () => string,
  text: string | RegExp,
  ended: Promise<number | null>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let over = false;
  void ended.then(() => (over = true));
  while (typeof text === 'string' ? !output().includes(text) : !text.test(output())) {
    if (over || Date.now() > deadline) throw new Error(`never printed ${String(text)}, but:\n${output()}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function readEvents(file: string): Promise<[number, string, string][]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
    .map(([pid, name, what]) => [Number(pid), String(name), String(what)]);
}
