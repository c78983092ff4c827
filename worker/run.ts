import { Client } from '@temporalio/client';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  type LogEntry,
  type LogLevel,
  type Worker,
} from '@temporalio/worker';
import { createActivities } from '../activities';
import { guardedProvider } from '../src/clients/guarded-provider';
import { createRoundControl } from '../src/commands/round-control';
import { createAttempts } from '../src/commands/attempts';
import { createServerTimes } from '../src/commands/server-times';
import { createPreviousRuns } from '../src/histories/previous-runs';
import type { Config } from '../src/config';
import { openArchive } from '../src/archive';
import { historySource } from '../src/archive/export';
import { temporalAddress, type Foundation, type Temporal } from '../src/foundation';
import type { Health } from '../src/http/health';
import type { Logger } from '../src/logging';
import { untilAborted, untilReached } from '../src/lifecycle';
import { ensureRoundIndexes } from '../src/read-model/rounds';
import { dataConverterOf, encrypts } from '../src/payloads/data-converter';
import { ownIdentity } from '../src/temporal-identity';
import { bundlePath } from './bundle';
import { checkRetention, ensureSearchAttributes } from './namespace';
import { freeLocalAddress, temporalMetrics } from './temporal-metrics';
import { ensureExportSchedule } from './schedule';
import { tenantLookup } from './tenants';
import { createWorker, type WorkerDependencies } from './worker';

/** Without it the client retries a call for 20 s, and a process that has to stop would wait that long. */
const SETUP_TIMEOUT_MS = 5_000;

/** Composition root of the worker. Runs until `stopped`, and then finishes the activities in progress. */
export async function runWorker(foundation: Foundation, stopped: AbortSignal): Promise<void> {
  const { config, logger, database, tenants, outbound, sessions, rounds, guards, localWorker } = foundation;
  const { client } = foundation.temporal;
  const { exportTo } = config;
  const metricsAddress = await freeLocalAddress();
  installRuntime(logger, metricsAddress);
  const lookup = tenantLookup(tenants, sessions, logger);
  const activities = createActivities({
    tenants: lookup,
    wallet: outbound.wallet,
    provider: guardedProvider(outbound.provider),
    guards,
    rounds,
    times: createServerTimes(client),
    attempts: createAttempts(client),
    previousRuns: createPreviousRuns(client),
    environment: config.environment,
    control: createRoundControl(client, (gameround) => rounds.find(gameround)),
    gameSettings: lookup.gameSettings,
    observe: (delivery) => outbound.observe(delivery),
    histories: exportTo && historySource(client, await openArchive(exportTo.place, exportTo.endpoint)),
    stopped,
    logger,
    metrics: foundation.metrics,
    waitingCalls: localWorker.waitingCalls,
  });
  const indexes = untilReached(stopped, logger, 'MongoDB', async () => {
    // A MongoDB client whose first connection failed stays closed until connect() is called again.
    await database.client.connect();
    await ensureRoundIndexes(rounds);
  });
  let isPolling = (): boolean => false;
  foundation.admin?.add({
    health: healthOf(() => isPolling()),
    measures: () => temporalMetrics(metricsAddress),
  });
  const connected = await untilReached(stopped, logger, 'Temporal', () =>
    connect(config, foundation.temporal, { activities, askNow: localWorker.waitingCalls.askNow }, logger),
  );
  if (connected !== undefined) {
    const { worker } = connected;
    isPolling = () => worker.getState() === 'RUNNING';
    localWorker.client = connected.client;
    await runUntil(worker, stopped, logger).finally(() => (localWorker.client = undefined));
  }
  await indexes;
}

/** Ready while the worker polls, until it starts to stop. */
function healthOf(isPolling: () => boolean): Health {
  return {
    check: () => {
      const ready = isPolling();
      return Promise.resolve({ ready, degraded: false, missing: ready ? [] : ['worker'] });
    },
  };
}

async function connect(
  config: Config,
  { connection, client }: Temporal,
  own: Pick<WorkerDependencies, 'activities' | 'askNow'>,
  logger: Logger,
): Promise<{ worker: Worker; client: Client }> {
  const { namespace } = config.temporal;
  const inTime = <T>(ask: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + SETUP_TIMEOUT_MS, ask);
  await inTime(() => ensureSearchAttributes(connection, namespace));
  const native = await NativeConnection.connect(temporalAddress(config));
  await inTime(() => checkRetention(connection, namespace, logger));
  if (config.exportTo !== undefined) await inTime(() => ensureExportSchedule(client, logger));
  const dataConverter = dataConverterOf(config.payloads);
  const worker = await createWorker({
    connection: native,
    namespace,
    ...own,
    workflows: { bundlePath: bundlePath(encrypts(config.payloads) ? 'encoded' : 'plain') },
    dataConverter,
  });
  return {
    worker,
    client: new Client({ connection: native, namespace, dataConverter, identity: ownIdentity() }),
  };
}

/** Finishes the activities in progress before it ends, so that no debit is left without its answer. */
async function runUntil(worker: Worker, stopped: AbortSignal, logger: Logger): Promise<void> {
  const running = worker.run();
  logger.info('worker is polling');
  process.send?.({ ready: true });
  void untilAborted(stopped).then(() => {
    logger.info('worker is stopping');
    if (worker.getState() === 'RUNNING') worker.shutdown();
  });
  await running;
}

const LEVELS: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** Logs what the SDK and workflows log. One filter by round or operator finds these lines and ours. */
export function temporalLog(logger: Logger): (entry: LogEntry) => void {
  return ({ level, message, meta }) => {
    const { mark, gameround, operatorId, workflowId, ...temporal } = (meta ?? {}) as Record<string, unknown>;
    logger[LEVELS[level]]({ mark, gameround, operatorId, workflowId, temporal }, message);
  };
}

function installRuntime(logger: Logger, metricsAddress: string): void {
  Runtime.install({
    logger: new DefaultLogger('INFO', temporalLog(logger)),
    // The process handles signals itself, so that the worker is shut down once and in order.
    shutdownSignals: [],
    telemetryOptions: { metrics: { prometheus: { bindAddress: metricsAddress } } },
  });
}
