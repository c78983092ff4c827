import { Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType as indexedType } from '@temporalio/common/lib/search-attributes';
import { join } from 'node:path';
import { SEARCH_ATTRIBUTES } from '../src/contracts/search-attributes';
import { startChild, type Child } from './child';
import { requireFree } from './ports';
import { until } from './until';

export interface TemporalOptions {
  readonly binary: string;
  readonly port: number;
  /** No Web UI without one. */
  readonly uiPort?: number;
  /** What the Web UI has payloads decoded by. */
  readonly uiCodecEndpoint?: string;
  /** SQLite file; in memory without one. */
  readonly dataFile?: string;
  readonly logDir: string;
  /** See ChildOptions.record. */
  readonly runDir?: string;
  readonly ip?: string;
  readonly ownGroup?: boolean;
  /** Gives up waiting, and stops what was started. */
  readonly signal?: AbortSignal;
}

export interface TemporalServer {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl?: string;
  readonly pid: number;
  readonly child: Child;
  stop(): Promise<void>;
}

const NAMESPACE = 'default';
const RETENTION_SECONDS = 30 * 24 * 3600;
const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 3_000;

/** The server takes more free ports for itself, and panics where another process was faster: then it is started again. */
const ATTEMPTS = 3;
const PANIC = 2;

/** Starts a development server and returns when the namespace is as rounds need it. */
export async function startTemporal(options: TemporalOptions, attempts = ATTEMPTS): Promise<TemporalServer> {
  const ip = options.ip ?? '127.0.0.1';
  const address = `${ip}:${options.port}`;
  await requireFree(options.port, ip, 'Temporal');
  const child = await startChild({
    name: 'temporal',
    command: options.binary,
    args: serverArgs(options, ip),
    env: bareEnv(),
    logFile: join(options.logDir, 'temporal.log'),
    ownGroup: options.ownGroup,
    ...(options.runDir === undefined
      ? {}
      : { record: { runDir: options.runDir, marker: options.dataFile ?? address } }),
  });
  try {
    await until(() => prepareNamespace(address), {
      what: `Temporal at ${address}`,
      timeoutMs: START_TIMEOUT_MS,
      child,
      signal: options.signal,
    });
  } catch (error) {
    await child.stop();
    const { code } = await child.exited;
    if (code === PANIC && attempts > 1) return startTemporal(options, attempts - 1);
    throw error;
  }
  return {
    address,
    namespace: NAMESPACE,
    ...(options.uiPort === undefined ? {} : { uiUrl: `http://${ip}:${options.uiPort}` }),
    pid: child.pid,
    child,
    stop: () => child.stop(),
  };
}

/**
 * A history shard reads each of its queues at most 20 times a second by default, and this server has one shard: every
 * task then waits up to 50 ms. A cluster of many shards does not show this.
 */
const QUEUE_READERS = ['transferProcessor', 'timerProcessor', 'visibilityProcessor'];
const MAX_POLL_RPS = 2_000;

function serverArgs({ port, uiPort, uiCodecEndpoint, dataFile }: TemporalOptions, ip: string): string[] {
  return [
    ...['server', 'start-dev', '--ip', ip, '--port', String(port), '--log-level', 'error'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-disable-news-fetch']),
    ...(uiCodecEndpoint === undefined ? [] : ['--ui-codec-endpoint', uiCodecEndpoint]),
    ...(dataFile === undefined ? [] : ['--db-filename', dataFile]),
    // WAL with NORMAL survives a killed process, not a power loss; half as many fsyncs, half as much again in rounds/s.
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
    ...QUEUE_READERS.flatMap((reader) => [
      '--dynamic-config-value',
      `history.${reader}MaxPollRPS=${MAX_POLL_RPS}`,
    ]),
  ];
}

/** The CLI reads TEMPORAL_* and a profile in HOME: someone's own cluster settings must not reach this server. */
function bareEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([key]) => !key.startsWith('TEMPORAL_'));
  return { ...Object.fromEntries(kept), TEMPORAL_CONFIG_FILE: '/dev/null' };
}

/**
 * Retention and search attributes of a namespace; may be repeated. The development server makes its namespace with a
 * day's retention and has no flag for it.
 */
export async function prepareNamespace(address: string, namespace: string = NAMESPACE): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: CALL_TIMEOUT_MS });
  try {
    await connection.withDeadline(Date.now() + 10 * CALL_TIMEOUT_MS, async () => {
      await setRetention(connection, namespace);
      await addSearchAttributes(connection, namespace);
    });
  } finally {
    await connection.close();
  }
}

async function setRetention(connection: Connection, namespace: string): Promise<void> {
  const service = connection.workflowService;
  const { config } = await service.describeNamespace({ namespace });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) === RETENTION_SECONDS) return;
  // The type is a Long of a library that is not ours to import; protobufjs takes a plain number too.
  const ttl = { seconds: RETENTION_SECONDS as never };
  await service.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: ttl } });
}

async function addSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const service = connection.operatorService;
  const { customAttributes } = await service.listSearchAttributes({ namespace });
  const missing = SEARCH_ATTRIBUTES.filter(({ name }) => customAttributes?.[name] === undefined);
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(
    missing.map(({ name, type }) => [name, indexedType(type) ?? 0]),
  );
  await service.addSearchAttributes({ namespace, searchAttributes });
}
