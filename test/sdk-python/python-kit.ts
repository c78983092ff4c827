import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createInterface, type Interface } from 'node:readline';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import type * as typescriptKit from '../../sdk';
import { KIT, PYTHON_ENV } from './python';

/* The Python kit under the names of the TypeScript SDK, for the tests of the latter. Calls run in a Python process. */

const { InterfaceError, LostResponse } = jest.requireActual<typeof typescriptKit>('../../sdk');
export { InterfaceError, LostResponse };

type Data = Record<string, unknown>;
interface Told {
  kind: 'InterfaceError' | 'LostResponse' | 'other';
  operation: string;
  message: string;
  status: number;
  body: unknown;
  retryAfter: number;
  errorCode: unknown;
  neverSent: boolean;
  ids: Record<string, string>;
  round: typescriptKit.RoundInfoReply | null;
  cause: Told | null;
}
type Said = Partial<{ sleep: number; debug: Data; error: Told; result: unknown }>;

interface Options extends typescriptKit.DebugOptions {
  baseUrl: string;
  secret: string;
  providerId?: string;
  operatorId?: string;
  timeoutMs?: number;
  maxAttempts?: number;
  backoffMs?: number;
}

const running: ChildProcess[] = [];
afterAll(() => Promise.all(running.map(stop)));

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

function python(args: string[], env: NodeJS.ProcessEnv = {}): { child: ChildProcess; lines: Interface } {
  const stderr = process.env['PYTHON_STDERR'] ? 'inherit' : 'ignore';
  const child = spawn('python3', args, { env: { ...PYTHON_ENV, ...env }, stdio: ['pipe', 'pipe', stderr] });
  running.push(child);
  return { child, lines: createInterface({ input: child.stdout }) };
}

/** One driver; calls wait for each other. */
class Driver {
  private readonly process = python([join(__dirname, 'driver.py')]);
  private readonly lines = this.process.lines[Symbol.asyncIterator]();
  private last: Promise<unknown> = Promise.resolve();

  call(client: string, options: Options, method: string, given: Data): Promise<unknown> {
    const made = this.last.then(() => this.run(client, options, method, given));
    this.last = made.catch(() => undefined);
    return made;
  }

  private async run(client: string, options: Options, method: string, given: Data): Promise<unknown> {
    this.send({ client, options: pythonOptions(options), method: snake(method), given: renamed(given) });
    for (;;) {
      const said = await this.hear();
      if (said.sleep !== undefined) this.send(await slept(said.sleep));
      else if (said.debug !== undefined) this.send(isTold(options, said.debug));
      else if (said.error === undefined) return said.result;
      else throw errorOf(said.error);
    }
  }

  private send(message: unknown): void {
    this.process.child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  private async hear(): Promise<Said> {
    const next = await this.lines.next();
    if (next.done) throw new Error('the Python process has ended (PYTHON_STDERR=1 shows why)');
    return JSON.parse(next.value) as Said;
  }
}

async function slept(seconds: number): Promise<true> {
  await timers.setTimeout(seconds * 1_000);
  return true;
}

function isTold({ debug }: Options, { status, reply, seconds, ...entry }: Data): boolean {
  try {
    const durationMs = Math.round(Number(seconds) * 1_000);
    debug?.({
      ...entry,
      status: status ?? undefined,
      reply: reply ?? undefined,
      durationMs,
    } as typescriptKit.DebugEntry);
    return true;
  } catch {
    return false;
  }
}

function pythonOptions(options: Options): Data {
  const { baseUrl, secret, providerId, operatorId, timeoutMs, maxAttempts, backoffMs, debug } = options;
  return {
    ...{ base_url: baseUrl, secret, debug: debug !== undefined },
    ...(providerId === undefined ? { operator_id: operatorId } : { provider_id: providerId }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1_000 }),
    ...(maxAttempts === undefined ? {} : { max_attempts: maxAttempts }),
    ...(backoffMs === undefined ? {} : { backoff: backoffMs / 1_000 }),
  };
}

const snake = (name: string): string => name.replaceAll(/([a-z])([A-Z]+)/g, '$1_$2').toLowerCase();
const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const renamed = (given: Data): Data =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [snake(name), value]));

function errorOf(told: Told): Error {
  if (told.kind === 'other') return new Error(told.message);
  if (told.kind === 'InterfaceError') {
    const headers = new Headers({ 'Retry-After': String(told.retryAfter) });
    const error = new InterfaceError(told.operation, { status: told.status, body: told.body, headers });
    expect(told.errorCode ?? undefined).toEqual(error.errorCode);
    return error;
  }
  const ids = Object.fromEntries(Object.entries(told.ids).map(([name, value]) => [camel(name), value]));
  const known = { ids, round: told.round ?? undefined, advice: '' };
  const error = new LostResponse(told.operation, told.neverSent, told.cause && errorOf(told.cause), known);
  error.message = told.message;
  return error;
}

/** An object with the methods of a client. */
function clientOf<Client>(client: 'provider' | 'operator', options: Options): Client {
  const at = (driver ??= new Driver());
  const get = (_: unknown, method: string) => (given: Data) => at.call(client, options, method, given ?? {});
  return new Proxy({}, { get }) as Client;
}
let driver: Driver | undefined;

export const ProviderClient = function (options: Options): typescriptKit.ProviderClient {
  return clientOf('provider', options);
} as unknown as typeof typescriptKit.ProviderClient;

export const createOperatorClient = ((options: Options) =>
  clientOf<typescriptKit.OperatorClient>('operator', options)) as typeof typescriptKit.createOperatorClient;

/** The code of sdk-python/README.md whose first line is `# <file>`, as it stands there. */
export async function codeOf(file: string): Promise<string> {
  const text = await readFile(join(KIT, 'README.md'), 'utf8');
  const [, code] = text.split(`\`\`\`python\n# ${file}\n`);
  if (code === undefined) throw new Error(`sdk-python/README.md has no ${file}`);
  return code.slice(0, code.indexOf('```'));
}

/** The README's wallet, at work on a port that the system chooses, with what the tests need of a server. */
export const readmeWallet = (): Promise<Server> => readmeServer('wallet.py');

export async function readmeServer(file: string, env: Record<string, string> = {}): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-python-server-'));
  await writeFile(join(folder, file), await codeOf(file));
  const { child, lines } = python([join(folder, file)], { PORT: '0', ...env });
  const [url] = (await once(lines, 'line')) as [string];
  await rm(folder, { recursive: true });
  return {
    address: () => ({ port: Number(new URL(url).port) }),
    closeAllConnections: () => undefined,
    close: (done: () => void) => void stop(child).then(done),
  } as unknown as Server;
}
