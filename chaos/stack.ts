import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { MongoClient, type Db } from 'mongodb';
import { createGameApp } from '../sandbox/game/game';
import { createWalletApp } from '../sandbox/wallet/wallet';
import { startChild, type Child } from '../stack/child';
import { projectRoot } from '../stack/paths';
import { freePorts } from '../stack/ports';
import { until } from '../stack/until';
import { exchange } from '../test/support/e2e-http';
import {
  bareEnvironment,
  logDirOf,
  removeServiceData,
  signalTo,
  startServer,
} from '../test/support/service-processes';
import { Link } from './proxy';
import {
  chaosTenants,
  MAX_ROTATIONS,
  OPERATORS,
  provider,
  secretsOf,
  UNCHANGED,
  type TenantsChange,
} from './tenants';

export const PARTS = ['api', 'worker-1', 'worker-2', 'temporal', 'mongod'] as const;
export type Part = (typeof PARTS)[number];
/** Each has a worker. */
export const PROCESSES = ['worker-1', 'worker-2', 'api'] as const;

/** A database that can be put back to an earlier moment. */
export type Store = 'temporal' | 'mongod';

/** A restore of a database, and the known state of the rounds while no process was running. */
export interface Restore {
  store: Store;
  copiedAtMs: number;
  backAtMs: number;
  /** Rounds whose record had changed since the copy: their workflows are older than their records, or gone. */
  moved: Map<string, Moved>;
  /** The rounds in `moved` that the restored server doesn't know. */
  orphans: Set<string>;
  /** Rounds with calls at the wallet that no record contains. A person compares these with the operator's books. */
  inFlight: Set<string>;
}

/** A round's status and transactions according to its record. A transaction's name is its type and hash. */
export interface Moved {
  status: 'open' | 'closed' | 'cancel';
  names: Set<string>;
  accepted: Set<string>;
}

/** Clocks that can be set wrong: of the service's processes, and of the sandbox with its wallets and game. */
export const CLOCKS = ['api', 'worker-1', 'worker-2', 'sandbox'] as const;
export type Clock = (typeof CLOCKS)[number];

/** A clock's error in milliseconds. `from` and `until` are milliseconds since the epoch by the right clock. */
export interface Skew {
  clock: Clock;
  skewMs: number;
  from: number;
  until?: number;
}

export interface StackOptions {
  /** Folder of the compiled service. */
  service: string;
  log(line: string): void;
}

const READY_TIMEOUT_MS = 90_000;
/** A worker finishes its wallet calls, an API its open requests. */
const STOP_TIMEOUT_MS = 20_000;
const REPAIR_TIMEOUT_MS = 300_000;
const MAX_REPAIRS = 3;

/**
 * The whole service as processes that can be killed, stopped and started one by one. Every connection goes through a
 * link that can be broken. The sandbox's wallet and game run in this process.
 */
export class Stack {
  readonly links = new Map<string, Link>();
  /** When frozen processes went on, ms since the epoch. Their next calls may have been decided before the freeze. */
  readonly resumedAt: number[] = [];
  /** Every setting of a clock of the service's processes. */
  readonly skews: Skew[] = [];
  readonly restores: Restore[] = [];
  /** Processes that ended by themselves, each with its last output. */
  readonly ownEnds: string[] = [];
  /** The current changes in the tenants' file. */
  tenants = UNCHANGED;
  walletUrl = '';
  gameUrl = '';
  temporal!: Client;
  db!: Db;
  readonly #children = new Map<Part, Child>();
  readonly #ends = new Set<Child>();
  readonly #undo: (() => Promise<unknown>)[] = [];
  readonly #skewMs = new Map<Clock, number>();
  #ports!: { temporal: number; mongod: number; api: number };
  #service: string;
  #dataDir = '';
  #closed = false;

  private constructor(private readonly options: StackOptions) {
    this.#service = options.service;
  }

  static async start(options: StackOptions): Promise<Stack> {
    const stack = new Stack(options);
    try {
      await stack.#open();
      return stack;
    } catch (error) {
      await stack.close();
      throw error;
    }
  }

  /** The base URL for calls of players and partners. */
  get api(): string {
    return this.#url('provider→API');
  }

  get logDir(): string {
    return logDirOf(this.#dataDir);
  }

  link(name: string): Link {
    const link = this.links.get(name);
    if (link === undefined) throw new Error(`no link ${name}`);
    return link;
  }

  isRunning(part: Part): boolean {
    return this.#children.has(part);
  }

  /** Sends SIGKILL and waits until the process has ended. False if it wasn't running. */
  async kill(part: Part): Promise<boolean> {
    return this.#end(part, 'SIGKILL');
  }

  /** Sends SIGTERM and waits until the process has ended. False if it wasn't running. */
  async stop(part: Part): Promise<boolean> {
    return this.#end(part, 'SIGTERM');
  }

  /** Stops the process with SIGSTOP for `ms`. False if it wasn't running. */
  async freeze(part: Part, ms: number): Promise<boolean> {
    const child = this.#children.get(part);
    if (child === undefined || !signalTo(child.pid, 'SIGSTOP')) return false;
    await sleep(ms);
    signalTo(child.pid, 'SIGCONT');
    this.resumedAt.push(Date.now());
    return true;
  }

  /** Returns when the process runs. A database server also answers by then. */
  async start(part: Part): Promise<void> {
    if (this.#children.has(part)) return;
    if (this.#closed) throw new Error('the stack is closed');
    const child = await this.#spawn(part);
    this.#children.set(part, child);
    void child.exited.then(() => {
      if (this.#ends.has(child)) return;
      this.#children.delete(part);
      this.ownEnds.push(`${part}:\n${child.tail(20).join('\n')}`);
    });
  }

  /** Processes that start from now on use another build. */
  deploy(service: string): void {
    this.#service = service;
  }

  /** Copies the files of a stopped server. Returns the folder. */
  async copyStore(store: Store): Promise<string> {
    const folder = await mkdtemp(join(this.#dataDir, `copy-of-${store}-`));
    for (const file of await this.#filesOf(store))
      await cp(join(this.#dataDir, file), join(folder, file), { recursive: true });
    return folder;
  }

  /** Replaces the files of a stopped server with a copy, and removes the copy. */
  async putBack(store: Store, folder: string): Promise<void> {
    for (const file of await this.#filesOf(store))
      await rm(join(this.#dataDir, file), { recursive: true, force: true });
    for (const file of await readdir(folder)) await rename(join(folder, file), join(this.#dataDir, file));
    await rm(folder, { recursive: true });
  }

  /** Runs `repair-records`, as a person does after a restore (docs/operations.md), and again if it fails. */
  async repairRecords(sinceMs: number): Promise<void> {
    const args = [...this.#script('src/repair.js'), '--since', new Date(sinceMs).toISOString()];
    const options = { env: this.#env('worker-1'), timeout: REPAIR_TIMEOUT_MS };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { stdout } = await promisify(execFile)(process.execPath, args, options);
        return this.options.log(`repaired: ${stdout.trim().split('\n').at(-1) ?? ''}`);
      } catch (error) {
        const { stdout = '', code } = error as Error & { stdout?: string; code?: unknown };
        this.options.log(`repair-records ended with ${String(code)}: ${stdout.trim()}`);
        if (attempt === MAX_REPAIRS) throw new Error('repair-records failed every time', { cause: error });
      }
    }
  }

  async #filesOf(store: Store): Promise<string[]> {
    const files = await readdir(this.#dataDir);
    return files.filter((file) => (store === 'mongod' ? file === 'mongodb' : file.startsWith('temporal.db')));
  }

  async setClock(clock: Clock, skewMs: number): Promise<void> {
    this.#skewMs.set(clock, skewMs);
    if (clock === 'sandbox') return;
    // Each of the service's processes runs a worker, also the one with the API.
    const before = this.skews.findLast((one) => one.clock === clock);
    if (before !== undefined) before.until ??= Date.now();
    this.skews.push({ clock, skewMs, from: Date.now() });
    await writeFile(this.#clockFile(clock), String(skewMs));
  }

  async ready(): Promise<void> {
    const ask = async (): Promise<void> => {
      const url = `http://127.0.0.1:${this.#ports.api}/health/ready`;
      const { status, body } = await exchange({ url, timeoutMs: 5_000 });
      if (status !== 200 || body['degraded'] !== undefined)
        throw new Error(`${status} ${JSON.stringify(body)}`);
    };
    await until(ask, { what: 'the API', timeoutMs: READY_TIMEOUT_MS });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const step of this.#undo.splice(0).reverse())
      await step().catch((error: unknown) => this.options.log(`closing: ${String(error)}`));
  }

  async #open(): Promise<void> {
    // The shared test servers remove folders with such a name if their process has ended.
    this.#dataDir = await mkdtemp(join(tmpdir(), `gameround-test-${process.pid}-chaos-`));
    this.#undo.push(() => removeServiceData(this.#dataDir));
    const [temporal = 0, mongod = 0, api = 0] = await freePorts(3);
    this.#ports = { temporal, mongod, api };
    const [walletPort, gamePort] = await this.#openLinks();
    await this.#openSandbox(walletPort, gamePort);
    this.#undo.push(() => this.#killAll());
    await Promise.all([this.start('temporal'), this.start('mongod')]);
    await Promise.all([this.start('worker-1'), this.start('worker-2'), this.start('api')]);
    // Without interceptors, so that the client does not retry calls by itself, also not after the end.
    const connection = Connection.lazy({ address: `127.0.0.1:${temporal}`, interceptors: [] });
    const mongo = new MongoClient(`mongodb://127.0.0.1:${mongod}/?directConnection=true`, {
      serverSelectionTimeoutMS: 10_000,
    });
    this.#undo.push(
      () => connection.close(),
      () => mongo.close(),
    );
    this.temporal = new Client({ connection });
    this.db = mongo.db('gameround');
    await this.ready();
  }

  /** Opens all links. Call the two returned functions when wallet and game run: their links need the ports. */
  async #openLinks(): Promise<[wallet: () => number, game: () => number]> {
    const known = { wallet: 0, game: 0 };
    const ports = this.#ports;
    const targets: [string, () => number][] = [
      ['provider→API', () => ports.api],
      ['API→Temporal', () => ports.temporal],
      ['API→Mongo', () => ports.mongod],
      ['worker→Temporal', () => ports.temporal],
      ['worker→Mongo', () => ports.mongod],
      ...OPERATORS.map(({ operatorId }): [string, () => number] => [
        walletLink(operatorId),
        () => known.wallet,
      ]),
      [GAME_LINK, () => known.game],
    ];
    for (const [name, port] of targets) {
      const link = await Link.open(name, () => ({ port: port() }));
      this.links.set(name, link);
      this.#undo.push(() => link.close());
    }
    return [
      () => (known.wallet = Number(new URL(this.walletUrl).port)),
      () => (known.game = Number(new URL(this.gameUrl).port)),
    ];
  }

  async #openSandbox(walletPort: () => number, gamePort: () => number): Promise<void> {
    const now = (): Date => new Date(Date.now() + (this.#skewMs.get('sandbox') ?? 0));
    const wallet = await createWalletApp({
      operators: OPERATORS.map(({ operatorId, voidsWholeRound }) => ({
        operatorId,
        secrets: secretsOf(operatorId, MAX_ROTATIONS),
        voidsWholeRound,
      })),
      serviceUrl: this.api,
      maxCalls: 2_000_000,
      now,
    }).start();
    this.#undo.push(() => wallet.close());
    const game = await createGameApp({
      provider: { providerId: provider.id, secrets: [provider.secret] },
      serviceUrl: this.api,
      timeoutMs: 12_000,
      now,
    }).start();
    this.#undo.push(() => game.close());
    this.walletUrl = wallet.url;
    this.gameUrl = game.url;
    walletPort();
    gamePort();
    await this.#writeTenants();
  }

  async #writeTenants(): Promise<void> {
    const wallets = new Map(
      OPERATORS.map(({ operatorId }) => [operatorId, this.#url(walletLink(operatorId))]),
    );
    const text = chaosTenants(wallets, this.#url(GAME_LINK), this.tenants);
    await writeFile(join(this.#dataDir, 'tenants.json'), text);
  }

  /** Changes the tenants' file and restarts the processes one by one, as docs/operations.md says. */
  async changeTenants(change: Partial<TenantsChange>): Promise<void> {
    this.tenants = { ...this.tenants, ...change };
    await this.#writeTenants();
    for (const part of PROCESSES) {
      await this.stop(part);
      await this.start(part);
    }
    await this.ready();
  }

  async #spawn(part: Part): Promise<Child> {
    switch (part) {
      case 'temporal':
      case 'mongod':
        return startServer(part, { dataDir: this.#dataDir, ports: this.#ports });
      case 'api':
      case 'worker-1':
      case 'worker-2': {
        return startChild({
          name: part,
          command: process.execPath,
          args: this.#script(part === 'api' ? 'worker/with-api.js' : 'worker/main.js'),
          env: this.#env(part),
          logFile: join(this.logDir, `${part}.log`),
          ipc: true,
          stopTimeoutMs: STOP_TIMEOUT_MS,
        });
      }
    }
  }

  #script(file: string): string[] {
    const preloads = [
      join(this.#service, 'stack', 'preload.js'),
      join(projectRoot(), 'chaos', 'skewed-clock.cjs'),
    ];
    return [...preloads.flatMap((preload) => ['--require', preload]), join(this.#service, file)];
  }

  #env(part: 'api' | 'worker-1' | 'worker-2'): NodeJS.ProcessEnv {
    const who = part === 'api' ? 'API' : 'worker';
    return {
      ...bareEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(this.#ports.api),
      ADMIN_PORT: '0',
      BASE_URL: this.api,
      DATA_DIR: this.#dataDir,
      TENANTS_FILE: join(this.#dataDir, 'tenants.json'),
      TEMPORAL_ADDRESS: `127.0.0.1:${this.link(`${who}→Temporal`).port}`,
      MONGODB_URI: `mongodb://127.0.0.1:${this.link(`${who}→Mongo`).port}/?directConnection=true`,
      CALLBACK_ADDRESSES: 'any',
      LOG_LEVEL: 'info',
      ENVIRONMENT: 'chaos',
      CHAOS_CLOCK_FILE: this.#clockFile(part),
    };
  }

  #clockFile(part: Clock): string {
    return join(this.#dataDir, `clock-${part}`);
  }

  #url(link: string): string {
    return `http://127.0.0.1:${this.link(link).port}`;
  }

  async #end(part: Part, how: 'SIGKILL' | 'SIGTERM'): Promise<boolean> {
    const child = this.#children.get(part);
    if (child === undefined) return false;
    this.#ends.add(child);
    this.#children.delete(part);
    if (how === 'SIGTERM') await child.stop();
    else signalTo(child.pid, 'SIGKILL');
    await child.exited;
    return true;
  }

  async #killAll(): Promise<void> {
    await Promise.all([...this.#children.keys()].map((part) => this.kill(part)));
  }
}

export const GAME_LINK = 'worker→game';
export const walletLink = (operatorId: string): string => `worker→wallet ${operatorId}`;
