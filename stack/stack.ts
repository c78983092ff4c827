import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTenantsFile, TenantsFileError } from '../src/tenants/file';
import { findBinary } from './binaries';
import { startChild, type Child } from './child';
import { reachable } from '../src/config';
import type { StackConfig } from './config';
import { claimDataDir, releaseDataDir, runDir } from './leftovers';
import { rotateLog } from './logs';
import { startMongod } from './mongod';
import { requireFreePorts } from './needed-ports';
import { isPlainSandbox, sandboxTenants } from './sandbox-tenants';
import { startLinks } from './summary';
import { supervise, type Supervised } from './supervise';
import { startTemporal } from './temporal';
import { until } from './until';
import { UserError } from './user-error';

export interface StackOptions {
  readonly config: StackConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** Aborted to stop the stack, also while it is starting. */
  readonly signal: AbortSignal;
}

export interface Stack {
  readonly temporalAddress: string;
  readonly mongodbUri: string;
  /** Undefined if the sandbox is off or did not respond. */
  readonly launchUrl: string | undefined;
  /** Resolves with the reason when a process could not be restarted. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Processes stop in this order: each one before the ones that it calls. */
const STOP_ORDER = ['codec-server', 'service', 'sandbox', 'temporal', 'mongod'] as const;
type ServiceName = (typeof STOP_ORDER)[number];

/**
 * The longest time that a process may take to stop. The service first answers its open calls (15 s). Then it finishes its
 * wallet calls (75 s), since a debit without a reply would have to be voided.
 */
const STOP_TIMEOUTS_MS: Partial<Record<ServiceName, number>> = { service: 100_000 };
const READY_TIMEOUT_MS = 75_000;
const LAUNCH_TIMEOUT_MS = 10_000;
const FETCH_TIMEOUT_MS = 10_000;
const ROTATE_EVERY_MS = 30_000;

/** Starts all processes. Resolves when the API is ready. Stops all processes again if a start fails. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, say, signal } = options;
  checkTenants(config.service.tenantsFile);
  await claimDataDir(config.service.dataDir, say);
  const running = new Services(options);
  try {
    await requireFreePorts(config);
    const servers = await startServers(options, running);
    await startProcesses(
      options,
      running,
      childEnv(options, servers, await sandboxTenants(config, options.env)),
    );
    return {
      ...servers,
      launchUrl: config.sandbox && (await launchUrl(config.sandbox.walletPort, signal, say)),
      failed: running.superviseAll(),
      stop: () => running.stop(),
    };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** The processes read the file themselves. This check reports an error in it before anything starts. */
function checkTenants(file: string): void {
  try {
    readTenantsFile(file);
  } catch (error) {
    throw error instanceof TenantsFileError ? new UserError(error.message) : error;
  }
}

interface Servers {
  readonly temporalAddress: string;
  readonly mongodbUri: string;
}

/** The processes of one stack, each with a function that starts it again. */
class Services {
  private readonly children = new Map<ServiceName, Child>();
  private readonly restarts = new Map<ServiceName, (signal: AbortSignal) => Promise<Child>>();
  private readonly supervised = new Map<ServiceName, Supervised>();
  private readonly rotation: NodeJS.Timeout;

  constructor(private readonly options: StackOptions) {
    this.rotation = setInterval(() => this.rotateLogs(), ROTATE_EVERY_MS).unref();
  }

  async start(name: ServiceName, start: (signal: AbortSignal) => Promise<Child>): Promise<Child> {
    const child = await start(this.options.signal);
    this.children.set(name, child);
    this.restarts.set(name, start);
    return child;
  }

  /** Restarts each process that ends from now on. Resolves with the reason when a process could not be restarted. */
  superviseAll(): Promise<string> {
    const { say } = this.options;
    return new Promise((onGivenUp) => {
      for (const [name, first] of this.children) {
        const restart = this.restarts.get(name);
        if (restart) this.supervised.set(name, supervise({ first, restart, say, onGivenUp }));
      }
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.rotation);
    for (const name of STOP_ORDER) {
      const running = this.supervised.get(name) ?? this.children.get(name);
      if (!running) continue;
      this.options.say(
        name === 'service' ? 'stopping service (it finishes its calls first)' : `stopping ${name}`,
      );
      await running.stop();
    }
    await releaseDataDir(this.options.config.service.dataDir);
  }

  private rotateLogs(): void {
    for (const child of this.children.values()) rotateLog(child.logFile);
  }
}

/** Starts both servers at once. Waits for both even if one fails, so that `running` can stop the other. */
async function startServers(options: StackOptions, running: Services): Promise<Servers> {
  const [temporal, mongod] = await Promise.allSettled([
    ensureTemporal(options, running),
    ensureMongod(options, running),
  ]);
  if (temporal.status === 'rejected') throw temporal.reason;
  if (mongod.status === 'rejected') throw mongod.reason;
  return { temporalAddress: temporal.value, mongodbUri: mongod.value };
}

async function ensureTemporal({ config, say, signal }: StackOptions, running: Services): Promise<string> {
  if (config.externalTemporal !== undefined) return config.externalTemporal;
  const binary = await findBinary('temporal', { onProgress: say, signal });
  say(`starting Temporal (${binary})`);
  await running.start('temporal', async (restartSignal) => {
    const server = await startTemporal({
      binary,
      port: config.temporalPort,
      uiPort: config.temporalUiPort,
      uiCodecEndpoint: config.codecServer,
      dataFile: join(config.service.dataDir, 'temporal.db'),
      ...placement(config),
      signal: restartSignal,
    });
    return server.child;
  });
  return `127.0.0.1:${config.temporalPort}`;
}

async function ensureMongod({ config, say, signal }: StackOptions, running: Services): Promise<string> {
  if (config.externalMongodb !== undefined) return config.externalMongodb;
  const binary = await findBinary('mongod', { onProgress: say, signal });
  say(`starting MongoDB (${binary})`);
  let uri = '';
  await running.start('mongod', async (restartSignal) => {
    const server = await startMongod({
      binary,
      port: config.mongodbPort,
      dbPath: join(config.service.dataDir, 'mongodb'),
      ...placement(config),
      signal: restartSignal,
    });
    uri = server.uri;
    return server.child;
  });
  return uri;
}

async function startProcesses(
  options: StackOptions,
  running: Services,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { config, say, signal } = options;
  const compiled = join(__dirname, '..');
  const start = (name: ServiceName, script: string): Promise<Child> =>
    running.start(name, () => startNode(name, join(compiled, script), config, env));
  say(`starting the service${config.sandbox ? ' and the sandbox' : ''}`);
  const sandbox = config.sandbox ? [await start('sandbox', 'sandbox/main.js')] : [];
  const codecServer =
    config.codecServer === undefined ? [] : [await start('codec-server', 'src/codec-server/main.js')];
  const service = await start('service', 'worker/with-api.js');
  const deaths = [service, ...sandbox, ...codecServer].map((child) => rejectAtExit(child));
  await Promise.race([ready(config, service, signal), ...deaths]);
}

function startNode(
  name: ServiceName,
  script: string,
  config: StackConfig,
  env: NodeJS.ProcessEnv,
): Promise<Child> {
  const { logDir, ownGroup } = placement(config);
  const stopTimeoutMs = STOP_TIMEOUTS_MS[name];
  return startChild({
    name,
    stopTimeoutMs,
    command: process.execPath,
    args: ['--enable-source-maps', '--require', join(__dirname, 'preload.js'), script],
    env,
    cwd: process.cwd(),
    logFile: join(logDir, `${name}.log`),
    ipc: true,
    ownGroup,
    record: { runDir: runDir(config.service.dataDir), marker: script },
  });
}

function placement(config: StackConfig): { logDir: string; runDir: string; ownGroup: boolean } {
  return {
    logDir: join(config.service.dataDir, 'logs'),
    runDir: runDir(config.service.dataDir),
    ownGroup: true,
  };
}

/** The environment of the child processes: that of this process, and the addresses of the stack. */
function childEnv({ config, env }: StackOptions, servers: Servers, tenantsFile: string): NodeJS.ProcessEnv {
  const { http, admin, dataDir, backofficeToken, secretsKey } = config.service;
  return {
    // docs/operations.md, "Memory of a worker".
    MALLOC_ARENA_MAX: '2',
    ...env,
    PORT: String(http.port),
    HOST: http.host,
    BASE_URL: http.baseUrl,
    ADMIN_HOST: admin.host,
    ADMIN_PORT: String(admin.port),
    DATA_DIR: dataDir,
    TENANTS_FILE: tenantsFile,
    // The sandbox's wallet and game listen on this machine.
    CALLBACK_ADDRESSES: env.CALLBACK_ADDRESSES || (config.sandbox ? 'loopback' : undefined),
    // The API page may sign only with the sandbox's own secrets, never in production.
    API_PAGE_SIGNS: env.API_PAGE_SIGNS || (isPlainSandbox(config, env) ? 'on' : undefined),
    // The sandbox's game and its launch helper call the API at this address.
    SERVICE_URL: env.SERVICE_URL || `http://${reachable(http.host)}:${http.port}`,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    MONGODB_URI: servers.mongodbUri,
    START_LINKS: env.START_LINKS || startLinks(config, servers),
    SECRETS_KEY: secretsKey.toString('base64'),
    BACKOFFICE_TOKEN: backofficeToken,
  };
}

async function ready(config: StackConfig, service: Child, signal: AbortSignal): Promise<void> {
  const { host, port } = config.service.http;
  const url = `http://${reachable(host)}:${port}/health/ready`;
  const ask = async (): Promise<void> => {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${body.slice(0, 300)}`);
  };
  await until(ask, {
    what: `the API at ${url}`,
    timeoutMs: READY_TIMEOUT_MS,
    everyMs: 200,
    child: service,
    signal,
  });
}

/** While the stack starts, no process is restarted: the cause of its end would stay. */
async function rejectAtExit(child: Child): Promise<never> {
  await child.exited;
  await sleep(100); // its last lines may not be in the log yet
  throw new UserError(
    `${child.name} ended while starting. Last lines of ${child.logFile}:\n  ${child.tail().join('\n  ')}`,
  );
}

async function launchUrl(
  walletPort: number,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<string | undefined> {
  const helper = `http://127.0.0.1:${walletPort}/launch`;
  const ask = async (): Promise<string> => {
    const response = await fetch(helper, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    const body = (await response.json()) as { url?: unknown };
    if (typeof body.url !== 'string') throw new Error(`${response.status} without a url`);
    return body.url;
  };
  try {
    return await until(ask, { what: `a launch URL from ${helper}`, timeoutMs: LAUNCH_TIMEOUT_MS, signal });
  } catch (error) {
    signal.throwIfAborted();
    say(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
