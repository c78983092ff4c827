import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type LogLevel, type Worker } from '@temporalio/worker';
import { createActivities, type Activities } from '../activities';
import { createSlots } from '../activities/slots';
import { createProviderClient } from '../src/clients/game-provider';
import { createHttpClient } from '../src/clients/http';
import { createOperatorWallet } from '../src/clients/operator-wallet';
import { createRoundControl } from '../src/commands/round-control';
import { describeConfig, loadConfig, type Config } from '../src/config';
import { createLogger, type Logger } from '../src/logging';
import { runProcess, stopSignal, untilReached } from '../src/process';
import { openDatabase } from '../src/read-model/connect';
import { createDeliveryMarks } from '../src/read-model/delivery-marks';
import { createGuards } from '../src/read-model/guards';
import { createRounds, ensureRoundIndexes } from '../src/read-model/rounds';
import { createSessions } from '../src/sessions';
import { loadTenants } from '../src/tenants';
import { BUNDLE_PATH } from './bundle';
import { ensureSearchAttributes } from './search-attributes';
import { tenantLookup } from './tenants';
import { createWorker } from './worker';

/** Local deliveries that one operator may hold: a slow one gets ordinary activities beyond these. */
const LOCAL_SLOTS_PER_OPERATOR = 8;

/** Composition root of a worker process. Runs until SIGTERM, SIGINT or the end of the process that started it. */
async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'worker' });
  logger.info(describeConfig(config), 'worker starts');
  installRuntime(logger);
  const stopped = stopSignal();

  const database = openDatabase(config.mongodb.uri, config.mongodb.database);
  const { db } = database;
  const { tenantsFile: file, secretsKey, callbackAddresses } = config;
  const tenants = await loadTenants({ file, db, secretsKey, logger, callbackAddresses });
  const rounds = createRounds(db, config.environment);
  const marks = createDeliveryMarks(db);
  const http = createHttpClient({
    addresses: callbackAddresses,
    report: (call) => logger.info(call, 'call out'),
  });
  const sessions = createSessions({ db, logger });
  const lookup = tenantLookup(tenants, sessions);
  const connection = Connection.lazy(addressOf(config));
  const client = new Client({ connection, namespace: config.temporal.namespace });
  const activities = createActivities({
    tenants: lookup,
    wallet: createOperatorWallet(http),
    provider: createProviderClient(http),
    guards: createGuards(db),
    marks,
    rounds,
    slots: createSlots(LOCAL_SLOTS_PER_OPERATOR),
    environment: config.environment,
    control: createRoundControl(client, (gameround) => rounds.find(gameround)),
    gameSettings: lookup.gameSettings,
    observe: (purpose, outcome) => logger.debug({ purpose, outcome }, 'wallet outcome'),
  });
  const indexes = untilReached(stopped, logger, 'MongoDB', async () => {
    // A client whose first connection failed stays closed until it is told to connect again.
    await database.client.connect();
    await ensureRoundIndexes(rounds);
    await marks.ensureIndexes();
  });
  const worker = await untilReached(stopped, logger, 'Temporal', () =>
    connect(config, connection, activities),
  );
  if (worker !== undefined) await runUntil(worker, stopped, logger);
  await indexes;
  await tenants.close();
  await sessions.close();
  await http.close();
  await connection.close();
  await database.client.close();
  logger.info('worker stopped');
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
  return createWorker({ connection: native, namespace, activities, workflows: { bundlePath: BUNDLE_PATH } });
}

/** Finishes the calls it is in before it ends: a worker that stops must not leave a debit without its answer. */
async function runUntil(worker: Worker, stopped: AbortSignal, logger: Logger): Promise<void> {
  const stop = (): void => {
    logger.info('worker is stopping');
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  stopped.addEventListener('abort', stop, { once: true });
  if (stopped.aborted) stop();
  logger.info('worker is polling');
  process.send?.({ ready: true });
  await worker.run();
}

function installRuntime(logger: Logger): void {
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
  });
}

runProcess(main);
