import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type LogLevel, type Worker } from '@temporalio/worker';
import { createActivities, type Activities } from '../activities';
import { guardedProvider } from '../src/clients/guarded-provider';
import { createRoundControl } from '../src/commands/round-control';
import { describeConfig, loadConfig, type Config } from '../src/config';
import { createLogger, type Logger } from '../src/logging';
import { createMetrics, type Metrics } from '../src/metrics';
import { dataConverterOf, encrypts } from '../src/payloads/data-converter';
import { createOutbound } from '../src/outbound';
import { runProcess, stopSignal, untilAborted, untilReached } from '../src/process';
import { openDatabase } from '../src/read-model/connect';
import { createGuards } from '../src/read-model/guards';
import { createRounds, ensureRoundIndexes } from '../src/read-model/rounds';
import { createSessions } from '../src/sessions';
import { loadTenants } from '../src/tenants';
import { bundlePath } from './bundle';
import { ensureSearchAttributes } from './search-attributes';
import { freeLocalAddress, startWorkerService, type WorkerService } from './service';
import { tenantLookup } from './tenants';
import { createWorker } from './worker';

/** Composition root of a worker process. Runs until SIGTERM, SIGINT or the end of the process that started it. */
async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'worker' });
  logger.info(describeConfig(config), 'worker starts');
  const metrics = createMetrics();
  const temporalMetrics = config.workerPort === undefined ? undefined : await freeLocalAddress();
  installRuntime(logger, temporalMetrics);
  const stopped = stopSignal();

  const database = openDatabase(config.mongodb.uri, config.mongodb.database);
  const { db } = database;
  const { tenantsFile: file, secretsKey, callbackAddresses } = config;
  const tenants = await loadTenants({ file, db, secretsKey, logger, callbackAddresses });
  const rounds = createRounds(db, config.environment);
  const outbound = createOutbound(config, logger, metrics);
  const { wallet } = outbound;
  const sessions = createSessions({ db, logger });
  const lookup = tenantLookup(tenants, sessions);
  const connection = Connection.lazy(addressOf(config));
  const dataConverter = dataConverterOf(config.payloads);
  const client = new Client({ connection, namespace: config.temporal.namespace, dataConverter });
  const activities = createActivities({
    tenants: lookup,
    wallet,
    provider: guardedProvider(outbound.provider),
    guards: createGuards(db),
    rounds,
    environment: config.environment,
    control: createRoundControl(client, (gameround) => rounds.find(gameround)),
    gameSettings: lookup.gameSettings,
    observe: (delivery) => metrics.walletOutcome(delivery),
  });
  const indexes = untilReached(stopped, logger, 'MongoDB', async () => {
    // A client whose first connection failed stays closed until it is told to connect again.
    await database.client.connect();
    await ensureRoundIndexes(rounds);
  });
  let isPolling = (): boolean => false;
  const service = await tellAbout(config, metrics, temporalMetrics, () => isPolling());
  if (service !== undefined) logger.info({ port: service.port }, 'worker listens');
  const worker = await untilReached(stopped, logger, 'Temporal', () =>
    connect(config, connection, activities),
  );
  isPolling = () => worker?.getState() === 'RUNNING';
  if (worker !== undefined) await runUntil(worker, stopped, logger);
  await indexes;
  await tenants.close();
  await sessions.close();
  await outbound.close();
  await connection.close();
  await database.client.close();
  await service?.close();
  logger.info('worker stopped');
}

async function tellAbout(
  { http, workerPort }: Config,
  metrics: Metrics,
  temporalMetrics: string | undefined,
  isPolling: () => boolean,
): Promise<WorkerService | undefined> {
  if (workerPort === undefined) return undefined;
  const temporalMetricsUrl = temporalMetrics && `http://${temporalMetrics}/metrics`;
  return startWorkerService({ host: http.host, port: workerPort, metrics, isPolling, temporalMetricsUrl });
}

function addressOf({ temporal: { address, apiKey, tls } }: Config): {
  address: string;
  apiKey?: string;
  tls?: object;
} {
  return { address, apiKey, tls };
}

async function connect(config: Config, connection: Connection, activities: Activities): Promise<Worker> {
  const { namespace } = config.temporal;
  await ensureSearchAttributes(connection, namespace);
  const native = await NativeConnection.connect(addressOf(config));
  return createWorker({
    connection: native,
    namespace,
    activities,
    workflows: { bundlePath: bundlePath(encrypts(config.payloads) ? 'encoded' : 'plain') },
    dataConverter: dataConverterOf(config.payloads),
  });
}

/** Finishes the calls it is in before it ends: a worker that stops must not leave a debit without its answer. */
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

function installRuntime(logger: Logger, metricsAddress: string | undefined): void {
  const levels: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
    TRACE: 'trace',
    DEBUG: 'debug',
    INFO: 'info',
    WARN: 'warn',
    ERROR: 'error',
  };
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) =>
      logger[levels[level]]({ temporal: meta }, message),
    ),
    // Signals are ours: the worker is shut down once, in order.
    shutdownSignals: [],
    ...(metricsAddress === undefined
      ? {}
      : { telemetryOptions: { metrics: { prometheus: { bindAddress: metricsAddress } } } }),
  });
}

runProcess(main);
