import { Client, Connection } from '@temporalio/client';
import { startAdmin, type Admin } from './admin';
import { watchCertificates } from './certificates';
import { callsEnded } from './commands/deadline';
import type { LocalWorker } from './commands/local-worker';
import { ConfigError, describeConfig, loadConfig, type Config } from './config';
import { createWaitingCalls } from './contracts/waiting-calls';
import { createLogger, goOnWith, type Logger, type ProcessName } from './logging';
import { createMetrics, type Metrics } from './metrics';
import { createPartnerClients, type PartnerClients } from './partner-clients';
import { dataConverterOf } from './payloads/data-converter';
import { stopSignal } from './lifecycle';
import { openDatabase, type Database } from './read-model/connect';
import type { Guards } from './contracts/guards';
import { createGuards } from './read-model/guards';
import { createRounds, type Rounds } from './read-model/rounds';
import { createSessions, type Sessions } from './sessions';
import { ownIdentity } from './temporal-identity';
import { loadTenants, type Tenants } from './tenants';

/** The parts that API and worker share. There is one per process, also if a process runs both. */
export interface Foundation {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  /** Health and metrics of the process. */
  admin: Admin | undefined;
  /** Aborted when the process has to stop. */
  stopped: AbortSignal;
  database: Database;
  tenants: Tenants;
  outbound: PartnerClients;
  sessions: Sessions;
  rounds: Rounds;
  guards: Guards;
  temporal: Temporal;
  /** Its `client` is set while a worker runs in this process. */
  localWorker: LocalWorker;
  close(): Promise<void>;
}

export interface Temporal {
  connection: Connection;
  client: Client;
}

/**
 * A person runs these next to a service that already uses the admin port, so they don't open it. They don't write the tenants
 * of their own TENANTS_FILE either: it may be older than the service's, or none.
 */
const COMMANDS: readonly ProcessName[] = ['repair-records', 'resume'];

export async function openFoundation(process: ProcessName): Promise<Foundation> {
  const config = loadConfig();
  const database = databaseOf(config);
  // A command does not wait for a server that is down.
  if (COMMANDS.includes(process)) await database.client.connect();
  const logger = createLogger({ level: config.logLevel, process });
  logger.info(describeConfig(config), `${process} starts`);
  const stopped = AbortSignal.any([stopSignal(), watchCertificates(config.temporal.tls, logger)]);
  const metrics = createMetrics();
  const admin = COMMANDS.includes(process)
    ? undefined
    : await startAdmin({ ...config.admin, metrics, logger });
  if (admin) logger.info({ host: config.admin.host, port: admin.port }, 'health and metrics');
  const { db } = database;
  const { secretsKey, callbackAddresses } = config;
  const file = COMMANDS.includes(process) ? undefined : config.tenantsFile;
  const tenants = await loadTenants({ file, db, secretsKey, logger, callbackAddresses });
  const outbound = createPartnerClients(config, logger, metrics);
  const sessions = createSessions({ db, logger });
  const temporal = connectLazily(config);
  const rounds = createRounds(db, config.environment);
  const guards = createGuards(db);
  metrics.measureWaiting(() =>
    rounds.waiting().catch(goOnWith(logger, [], 'the waiting rounds could not be counted')),
  );
  return {
    ...{ config, logger, metrics, admin, stopped, database, tenants, outbound, sessions, temporal },
    ...{ rounds, guards, localWorker: { waitingCalls: createWaitingCalls(), guards } },
    async close() {
      await tenants.close();
      await sessions.close();
      await outbound.close();
      await callsEnded(temporal.client);
      await temporal.connection.close();
      await database.client.close();
      await admin?.close();
      logger.info(`${process} stopped`);
    },
  };
}

/** Hides the driver's own error, which may contain the password. */
export function databaseOf({ mongodb: { uri, database } }: Config): Database {
  try {
    return openDatabase(uri, database);
  } catch {
    throw new ConfigError(['MONGODB_URI: the MongoDB driver cannot parse it']);
  }
}

/** Connects at the first use, and reconnects if necessary, since Temporal may start after this process. */
export function connectLazily(config: Config): Temporal {
  const connection = Connection.lazy({ ...temporalAddress(config), connectTimeout: '2s' });
  const { namespace } = config.temporal;
  const dataConverter = dataConverterOf(config.payloads);
  const identity = ownIdentity();
  return { connection, client: new Client({ connection, namespace, dataConverter, identity }) };
}

export function temporalAddress({ temporal }: Config): Omit<Config['temporal'], 'namespace'> {
  const { namespace: _namespace, ...address } = temporal;
  return address;
}
