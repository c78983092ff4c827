import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { MongoClient, type Db } from 'mongodb';
import { createGameApp } from '../../sandbox/game/game';
import type { RunningServer } from '../../sandbox/http/server';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import { startChild, type Child } from '../../stack/child';
import { freePorts } from '../../stack/ports';
import { until } from '../../stack/until';
import { compiledService } from './e2e-build';
import { exchange, type Party } from './e2e-http';
import {
  GAME_CODE,
  operatorParty,
  OTHER_PROVIDER,
  PROVIDER,
  tenantsFile,
  type GameOptions,
  type OperatorOptions,
} from './e2e-tenants';
import { bareEnvironment, logDirOf, removeServiceData, signalTo, startServer } from './service-processes';
import { walletControls, type WalletControls } from './wallet-controls';

/** A part with a number runs only if a test starts it. */
export type Part = 'temporal' | 'mongod' | keyof typeof SCRIPTS;

export interface E2eOptions {
  /** Default: one operator, `op1`. */
  operators?: readonly OperatorOptions[];
  /** Additional games, beside the demo game. */
  games?: readonly GameOptions[];
  /** `service`: API and worker in one process. `apart` (default): a process each. */
  shape?: 'service' | 'apart';
  /** Servers that run already. Default: the stack has its own. */
  servers?: Servers;
  /** Additional settings of API and worker. They override the stack's own. */
  env?: NodeJS.ProcessEnv;
  /** Default: the sandbox's wallet in this process. */
  startWallet?: (options: E2eWallet) => Promise<RunningServer>;
  /** Default: the demo game in this process. */
  startGame?: (serviceUrl: string, provider: Party, walletUrl: string) => Promise<RunningServer>;
}

export interface Servers {
  temporalAddress: string;
  mongodbUri: string;
}

export interface E2eWallet {
  operators: { operatorId: string; secrets: string[]; voidsWholeRound: boolean }[];
  serviceUrl: string;
  maxCalls: number;
}

/**
 * A whole private service. Temporal, mongod, API and worker are processes that can be killed and started one by one on
 * the same data. The sandbox's wallet and demo game run in this process by default.
 */
export interface E2eStack {
  /** Base URL. */
  api: string;
  /** Base URL of an API or service. The first API and the first service have the same. */
  apiOf(part: Part): string;
  /** Base URL of the admin port of the first API, and of the first worker. */
  admin: Record<'api' | 'worker', string>;
  walletUrl: string;
  gameUrl: string;
  temporalAddress: string;
  mongodbUri: string;
  wallet: WalletControls;
  provider: Party;
  gameCode: string;
  temporal: Client;
  db: Db;
  operator(operatorId: string): Party;
  /** `kill -9` of all parts at the same moment. Returns when they have ended. */
  kill(...parts: Part[]): Promise<void>;
  /** SIGTERM to all parts. Returns when they have ended. */
  stop(...parts: Part[]): Promise<void>;
  /** Starts parts that don't run, servers first. Returns when the servers answer and the processes run. */
  start(parts: readonly Part[], env?: NodeJS.ProcessEnv): Promise<void>;
  /** Waits until the API answers its readiness check with 200. */
  ready(): Promise<void>;
  /** Undefined while the part doesn't run. */
  pid(part: Part): number | undefined;
  /** The complete logs of the service's processes and of the servers. */
  logs(): Promise<string>;
  /** The last lines of a process's log. */
  tail(part: Part): string;
  /** Kills all processes, in any state, and removes their data. */
  close(): Promise<void>;
}

const READY_TIMEOUT_MS = 60_000;
/** Longer than a worker needs to finish a wallet call. */
const STOP_TIMEOUT_MS = 30_000;

export async function startE2eStack({
  operators = [{ operatorId: 'op1' }],
  games = [],
  shape = 'apart',
  servers,
  env = {},
  startWallet = (options) => createWalletApp(options).start(),
  startGame = startDemoGame,
}: E2eOptions = {}): Promise<E2eStack> {
  // The shared test servers remove folders with such a name if their process has ended.
  const dataDir = await mkdtemp(join(tmpdir(), `gameround-test-${process.pid}-e2e-`));
  const undo: (() => Promise<unknown>)[] = [() => removeServiceData(dataDir)];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const ports = await choosePorts();
    const api = `http://127.0.0.1:${ports.api}`;
    const wallet = await startWallet({
      operators: operators.map(({ operatorId, voidsWholeRound = false }) => ({
        operatorId,
        secrets: [operatorParty(operatorId).secret],
        voidsWholeRound,
      })),
      serviceUrl: api,
      maxCalls: 50_000,
    });
    undo.push(() => wallet.close());
    const game = await startGame(api, PROVIDER, wallet.url);
    undo.push(() => game.close());
    const otherGame = await startGame(api, OTHER_PROVIDER, wallet.url);
    undo.push(() => otherGame.close());
    const tenants = join(dataDir, 'tenants.json');
    const urls = { walletUrl: wallet.url, gameUrl: game.url, otherGameUrl: otherGame.url };
    await writeFile(tenants, tenantsFile({ ...urls, operators, games }));
    const service = await compiledService();
    const processes = new Processes({ dataDir, ports, tenants, env, service, servers });
    undo.push(() => processes.killAll());
    await processes.start([
      ...(servers === undefined ? (['temporal', 'mongod'] as const) : []),
      ...(shape === 'service' ? (['service'] as const) : (['worker', 'api'] as const)),
    ]);
    await ready(api, processes);

    const connection = Connection.lazy({ address: processes.temporalAddress });
    undo.push(() => connection.close());
    const mongo = new MongoClient(processes.mongodbUri, { serverSelectionTimeoutMS: 10_000 });
    undo.push(() => mongo.close());
    return {
      api,
      apiOf: (part) => `http://127.0.0.1:${ports[PORT_OF[part] ?? 'api']}`,
      admin: {
        api: `http://127.0.0.1:${ports.apiAdmin}`,
        worker: `http://127.0.0.1:${ports.workerAdmin}`,
      },
      walletUrl: wallet.url,
      gameUrl: game.url,
      temporalAddress: processes.temporalAddress,
      mongodbUri: processes.mongodbUri,
      wallet: walletControls(wallet.url),
      provider: PROVIDER,
      gameCode: GAME_CODE,
      temporal: new Client({ connection }),
      db: mongo.db('gameround'),
      operator: operatorParty,
      kill: (...parts) => processes.end(parts, 'SIGKILL'),
      stop: (...parts) => processes.end(parts, 'SIGTERM'),
      start: (parts, env) => processes.start(parts, env),
      ready: () => ready(api, processes),
      pid: (part) => processes.pid(part),
      logs: () => allOf(logDirOf(dataDir)),
      tail: (part) => processes.tail(part),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function allOf(folder: string): Promise<string> {
  const files = await readdir(folder);
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
}

function startDemoGame(serviceUrl: string, { id, secret }: Party, walletUrl: string): Promise<RunningServer> {
  const provider = { providerId: id, secrets: [secret] };
  return createGameApp({ provider, serviceUrl, walletUrl, timeoutMs: 15_000 }).start();
}

const PORTS = ['api', 'api2', 'api3', 'api4', 'apiAdmin', 'workerAdmin', 'temporal', 'mongod'] as const;
type Ports = Record<(typeof PORTS)[number], number>;

async function choosePorts(): Promise<Ports> {
  const free = await freePorts(PORTS.length);
  return Object.fromEntries(PORTS.map((name, at) => [name, free[at]])) as Ports;
}

interface ProcessSettings {
  dataDir: string;
  ports: Ports;
  tenants: string;
  env: NodeJS.ProcessEnv;
  /** The compiled service. */
  service: string;
  servers: Servers | undefined;
}

const API = 'src/main.js';
const WORKER = 'worker/main.js';
const SERVICE = 'worker/with-api.js';
const SCRIPTS = {
  ...{ api: API, api2: API, worker: WORKER, worker2: WORKER },
  ...{ service: SERVICE, service2: SERVICE, service3: SERVICE, service4: SERVICE },
} as const;
/** The others have the port `api`. */
const PORT_OF: Partial<Record<Part, keyof Ports>> = {
  ...{ api2: 'api2', service2: 'api2' },
  ...{ service3: 'api3', service4: 'api4' },
};

class Processes {
  readonly #running = new Map<Part, Child>();
  readonly #logs = new Map<Part, Child>();

  constructor(private readonly settings: ProcessSettings) {}

  get temporalAddress(): string {
    return this.settings.servers?.temporalAddress ?? `127.0.0.1:${this.settings.ports.temporal}`;
  }

  get mongodbUri(): string {
    const { servers, ports } = this.settings;
    return servers?.mongodbUri ?? `mongodb://127.0.0.1:${ports.mongod}/?replicaSet=rs0`;
  }

  async start(parts: readonly Part[], env: NodeJS.ProcessEnv = {}): Promise<void> {
    const servers = parts.filter((part) => part === 'temporal' || part === 'mongod');
    await Promise.all(servers.map((part) => this.#start(part, env)));
    const others = parts.filter((part) => part !== 'temporal' && part !== 'mongod');
    await Promise.all(others.map((part) => this.#start(part, env)));
  }

  /** Sends all signals before it waits, so that the processes end at nearly the same moment. */
  async end(parts: readonly Part[], signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const children = parts.flatMap((part) => this.#running.get(part) ?? []);
    for (const { pid } of children) signalTo(pid, signal);
    for (const part of parts) this.#running.delete(part);
    await Promise.all(children.map((child) => goneOrKilled(child)));
  }

  killAll(): Promise<void> {
    return this.end([...this.#running.keys()], 'SIGKILL');
  }

  pid(part: Part): number | undefined {
    return this.#running.get(part)?.pid;
  }

  tail(part: Part): string {
    return this.#logs.get(part)?.tail(20).join('\n') ?? '';
  }

  /** Rejects with the log of the first process that ends. */
  async failed(): Promise<never> {
    const ends = [...this.#running].map(async ([part, { exited }]) => {
      await exited;
      return part;
    });
    const part = await Promise.race(ends);
    throw new Error(`${part} ended:\n${this.tail(part)}`);
  }

  async #start(part: Part, env: NodeJS.ProcessEnv): Promise<void> {
    if (this.#running.has(part)) throw new Error(`${part} runs already`);
    const child = await this.#spawn(part, env);
    this.#running.set(part, child);
    this.#logs.set(part, child);
  }

  async #spawn(part: Part, env: NodeJS.ProcessEnv): Promise<Child> {
    const { dataDir, ports, service } = this.settings;
    switch (part) {
      case 'temporal':
      case 'mongod':
        return startServer(part, { dataDir, ports });
      default:
        return startChild({
          name: part,
          command: process.execPath,
          args: ['--require', join(service, 'stack', 'preload.js'), join(service, SCRIPTS[part])],
          env: { ...this.#env(part), ...env },
          logFile: join(logDirOf(dataDir), `${part}.log`),
          ipc: true,
          stopTimeoutMs: STOP_TIMEOUT_MS,
        });
    }
  }

  #env(part: Part): NodeJS.ProcessEnv {
    const { dataDir, ports, tenants, env } = this.settings;
    const isApi = part === 'api' || part === 'service';
    const adminPort = isApi ? ports.apiAdmin : part === 'worker' ? ports.workerAdmin : 0;
    return {
      ...bareEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(ports[PORT_OF[part] ?? 'api']),
      ADMIN_PORT: String(adminPort),
      DATA_DIR: dataDir,
      TENANTS_FILE: tenants,
      CALLBACK_ADDRESSES: 'any',
      TEMPORAL_ADDRESS: this.temporalAddress,
      MONGODB_URI: this.mongodbUri,
      LOG_LEVEL: 'info',
      ENVIRONMENT: 'e2e',
      ...env,
    };
  }
}

async function goneOrKilled(child: Child): Promise<void> {
  const timer = setTimeout(() => signalTo(child.pid, 'SIGKILL'), STOP_TIMEOUT_MS);
  await child.exited;
  clearTimeout(timer);
}

async function ready(api: string, processes: Processes): Promise<void> {
  const ask = async (): Promise<void> => {
    const { status, body } = await exchange({ url: `${api}/health/ready`, timeoutMs: 5_000 });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  const over = new AbortController();
  const asking = until(ask, { what: 'the API', timeoutMs: READY_TIMEOUT_MS, signal: over.signal });
  await Promise.race([asking, processes.failed()]).finally(() => over.abort());
}
