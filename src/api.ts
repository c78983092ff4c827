import type { Server } from 'node:http';
import { commandPorts } from './command-ports';
import { createCommands } from './commands';
import type { CommandPorts } from './commands/ports';
import { createReconciliation } from './commands/reconcile-transactions';
import type { RoundService } from './commands/types';
import type { Config } from './config';
import { TASK_QUEUE } from './contracts/gameround';
import { createDemoRounds, createDemoStore } from './demo';
import { refuseBecause } from './domain/errors';
import type { Foundation, Temporal } from './foundation';
import { createGameConfigurations } from './game-configuration';
import { createApp } from './http/app';
import { DEFAULT_LIMITS, type HttpDeps, type RoundQueries, type SandboxTenants } from './http/deps';
import { createHealth, type Health, type Probes } from './http/health';
import { createHttpServer } from './http/server';
import type { Logger } from './logging';
import { createWorkerLiveness } from './worker-liveness';
import { listen, NotYetError, untilAborted, untilReached } from './lifecycle';
import type { Database } from './read-model/connect';
import { ensureRoundIndexes } from './read-model/rounds';
import { createRoundQueries, type RoundQueries as RecordQueries } from './queries/rounds';
import { createRng } from './rng';
import { createDrawLog } from './rng/draw-log';
import { readTenantsFile } from './tenants/file';

const PROBE_TIMEOUT_MS = 1_500;
const LOOK_EVERY_MS = 10_000;
/** Longer than a command's time (10 s), so that calls that arrived before the stop get their answers. */
const FINISH_WITHIN_MS = 15_000;
const IDLE_CHECK_MS = 100;

/** Composition root of the API. Serves until the process has to stop and all calls in progress are answered. */
export async function serveApi(foundation: Foundation): Promise<void> {
  const { config, logger, metrics, stopped, database, tenants, outbound, sessions, rounds, temporal } =
    foundation;
  const { wallet, provider } = outbound;
  const { guards } = foundation;
  const queries = createRoundQueries(rounds, guards);
  const ports = commandPorts({ guards, rounds, queries, tenants, wallet, logger });
  const draws = createDrawLog(database.db);
  const rng = createRng({ log: (draw) => draws.write(draw) });
  const gameConfigurations = createGameConfigurations({
    provider,
    providerOf: (providerId) => tenants.provider(providerId),
    logger,
  });
  const demoGames = createDemoStore(database.db);
  const demoRounds = createDemoRounds({
    store: demoGames,
    settingsFor: (session) => ports.settingsFor(session),
  });
  const probed = probes(temporal, database);
  const health = createHealth(probed);
  foundation.admin?.add({ health });
  const app = createApp({
    ...httpDeps(foundation, { queries, ports, health }),
    ...{ demoRounds, provider, rng, gameConfigurations, logger, metrics },
  });
  const prepared = untilReached(stopped, logger, 'MongoDB', async () => {
    // A MongoDB client whose first connection failed does not try again by itself.
    await database.client.connect();
    await sessions.prepare();
    await ensureRoundIndexes(rounds);
    await draws.prepare();
    await demoGames.prepare();
  });

  // Poll until the process was ready once. Only then can it be degraded in an outage, even if nobody checked its health before.
  void untilReached(stopped, logger, 'Temporal, MongoDB or a worker', async () => {
    const { missing } = await health.check();
    if (missing.length === 0) return;
    // If the namespace does not exist, the probe of the worker fails with an error that says so.
    const cause = await probed.worker().catch((error: unknown) => error);
    const isStarting = cause === undefined || cause instanceof NotYetError;
    if (isStarting && missing.every((part) => part === 'worker'))
      throw new NotYetError('no worker polls yet: /health/ready is 503 until one does');
    throw new Error(`missing: ${missing.join(', ')}`, { cause });
  });

  // Liveness of a worker is a comparison of two polls, so poll on a timer.
  const looking = setInterval(() => void health.check(), LOOK_EVERY_MS).unref();

  await serve(createHttpServer(app.callback()), config, stopped, logger);
  clearInterval(looking);
  await prepared;
}

interface Parts {
  queries: RecordQueries;
  ports: CommandPorts;
  health: Health;
}

/** The dependencies of the routes that other parts of the process use, too. */
function httpDeps(
  { config, temporal, localWorker, tenants, sessions, outbound: { wallet } }: Foundation,
  { queries, ports, health }: Parts,
): Omit<HttpDeps, 'demoRounds' | 'provider' | 'rng' | 'gameConfigurations' | 'logger' | 'metrics'> {
  const commands = createCommands(temporal.client, ports, { local: localWorker });
  return {
    baseUrl: config.http.baseUrl,
    trustedProxies: config.http.trustedProxies,
    tenants,
    sessions,
    rounds: { commands, queries: roundQueries(queries, commands) },
    roundLists: queries,
    reconcile: createReconciliation(temporal.client, (gameround) => commands.describeRound(gameround)),
    wallet,
    environment: config.environment,
    signatureHints: config.http.signatureHints,
    startLinks: config.http.startLinks,
    sandbox: config.http.pageSigns ? firstTenants(config.tenantsFile) : undefined,
    limits: { calls: config.http.maxCalls, crowd: Math.max(DEFAULT_LIMITS.crowd, 2 * config.http.maxCalls) },
    health,
    clock: Date.now,
    monotonicNow: () => performance.now(),
  };
}

/** For the page of a sandbox. Those of the file only: MongoDB may hold others from earlier starts. */
function firstTenants(file: string): SandboxTenants | undefined {
  const {
    operators: [operator],
    providers: [provider],
    games: [game],
  } = readTenantsFile(file);
  if (operator === undefined || provider === undefined || game === undefined) return undefined;
  return {
    operator: { id: operator.operatorId, secret: operator.secrets[0]! },
    provider: { id: provider.providerId, secret: provider.secrets[0]! },
    gameCode: game.gameCode,
  };
}

/** Finds the open round by its guard and reads its state. Rejects with SERVICEUNAVAILABLE if MongoDB can't be read. */
function roundQueries(queries: RecordQueries, commands: RoundService): RoundQueries {
  return {
    findOpenRound: async (session) => {
      const holder = await queries.holderOfGuard(session).catch((error: unknown) => {
        throw refuseBecause(error, 'SERVICEUNAVAILABLE');
      });
      const round = holder === undefined ? undefined : await commands.describeRound(holder);
      return round?.status === 'open' && !round.crashed ? round : undefined;
    },
  };
}

function probes({ connection, client }: Temporal, { db }: Database): Probes {
  const inTime = <T>(ask: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, ask);
  const isWorkerThere = createWorkerLiveness();
  return {
    temporal: async () => {
      await inTime(() => connection.workflowService.getSystemInfo({}));
    },
    mongodb: async () => {
      await db.command({ ping: 1 }, { timeoutMS: PROBE_TIMEOUT_MS });
    },
    worker: async () => {
      const { namespace } = client.options;
      const taskQueue = { name: TASK_QUEUE };
      const queue = await inTime(() =>
        connection.workflowService.describeTaskQueue({ namespace, taskQueue, taskQueueType: 1 }),
      );
      const pollers = (queue.pollers ?? []).map(({ identity, lastAccessTime }) => ({
        identity: identity ?? '',
        lastAccessMs: Number(lastAccessTime?.seconds ?? 0) * 1_000,
      }));
      if (!isWorkerThere(pollers)) throw new NotYetError('no worker polls');
    },
  };
}

/** Serves until the process has to stop, and then until the calls in progress are answered or FINISH_WITHIN_MS is over. */
async function serve(server: Server, config: Config, stopped: AbortSignal, logger: Logger): Promise<void> {
  await listen(server, config.http, 'PORT');
  logger.info({ host: config.http.host, port: config.http.port }, 'API listens');
  process.send?.({ ready: true });
  await untilAborted(stopped);
  logger.info('API is stopping');
  // From now on answer with `Connection: close`, so that clients do not reuse a closing connection.
  server.prependListener('request', (_request, response) => (response.shouldKeepAlive = false));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Close idle connections now, and busy ones soon after their response.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const force = setTimeout(() => {
    logger.warn('calls that did not end in time are cut off');
    server.closeAllConnections();
  }, FINISH_WITHIN_MS);
  await closed;
  clearTimeout(force);
  clearInterval(idle);
}
