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
  /** The Web UI runs only if this is set. */
  readonly uiPort?: number;
  /** URL of the codec server that decodes payloads for the Web UI. */
  readonly uiCodecEndpoint?: string | undefined;
  /** The SQLite file. If absent, the data is in memory. */
  readonly dataFile?: string;
  readonly logDir: string;
  /** See ChildOptions.record. */
  readonly runDir?: string;
  readonly ip?: string;
  readonly ownGroup?: boolean;
  /** When aborted, the wait ends and the server is stopped. */
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

/** The server chooses further free ports and panics if another process takes one first. Then it is started again. */
const ATTEMPTS = 3;
const PANIC = 2;

/** Starts a development server. Resolves when the namespace has the settings that rounds need. */
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
 * By default a history shard reads each of its queues at most 20 times a second. This server has one shard, so each task
 * would wait up to 50 ms. In a cluster with many shards this does not matter.
 */
const QUEUE_READERS = ['transferProcessor', 'timerProcessor', 'visibilityProcessor'];
const MAX_POLL_RPS = 2_000;

function serverArgs({ port, uiPort, uiCodecEndpoint, dataFile }: TemporalOptions, ip: string): string[] {
  return [
    ...['server', 'start-dev', '--ip', ip, '--port', String(port), '--log-level', 'error'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-disable-news-fetch']),
    ...(uiCodecEndpoint === undefined ? [] : ['--ui-codec-endpoint', uiCodecEndpoint]),
    ...(dataFile === undefined ? [] : ['--db-filename', dataFile]),
    // WAL with NORMAL survives a killed process but not a power loss. It halves the fsyncs and gives 1.5 times the rounds/s.
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
    ...QUEUE_READERS.flatMap((reader) => [
      '--dynamic-config-value',
      `history.${reader}MaxPollRPS=${MAX_POLL_RPS}`,
    ]),
  ];
}

/** The CLI reads TEMPORAL_* and a profile in HOME. A person's settings for other clusters must not affect this server. */
function bareEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([key]) => !key.startsWith('TEMPORAL_'));
  return { ...Object.fromEntries(kept), TEMPORAL_CONFIG_FILE: '/dev/null' };
}

/**
 * Sets retention and search attributes of a namespace. May be repeated. The development server creates its namespace with a
 * retention of one day and has no flag for another.
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
  // The type is Long, from a library that is not a dependency of this project. protobufjs accepts a number, too.
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
