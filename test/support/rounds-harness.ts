import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, type Logger } from '@temporalio/worker';
import type { Db } from 'mongodb';
import { createActivities, type Activities } from '../../activities';
import type { RoundControl } from '../../activities/types';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import type { CallbackAddresses } from '../../src/clients/addresses';
import { createProviderClient } from '../../src/clients/game-provider';
import { createHttpClient, type HttpClient } from '../../src/clients/http';
import { guardedWallet, WALLET_GUARD, type WalletGuardOptions } from '../../src/clients/guarded-wallet';
import { createOperatorWallet } from '../../src/clients/operator-wallet';
import type { OperatorAddress } from '../../src/clients/types';
import { repairRecord } from '../../src/command-ports';
import { createCommands } from '../../src/commands';
import { callsEnded } from '../../src/commands/deadline';
import { createReconciliation } from '../../src/commands/reconcile-transactions';
import { repairRecords, type Repaired } from '../../src/commands/repair-records';
import { createRoundControl } from '../../src/commands/round-control';
import { createAttempts } from '../../src/commands/attempts';
import type { Attempts, ServerTimes } from '../../src/contracts/temporal-server';
import { createServerTimes } from '../../src/commands/server-times';
import { createPreviousRuns, type PreviousRuns } from '../../src/histories/previous-runs';
import type { LocalWorker } from '../../src/commands/local-worker';
import type { CommandPorts } from '../../src/commands/ports';
import type { RoundService } from '../../src/commands/types';
import { stateQuery, workflowIdOf } from '../../src/contracts/gameround';
import type { ReconcileResult } from '../../src/contracts/reconcile';
import { createWaitingCalls, type WaitingCalls } from '../../src/contracts/waiting-calls';
import { GAMEROUND_ATTENTION } from '../../src/contracts/search-attributes';
import type { RoundSettings } from '../../src/domain/round/types';
import type { Session } from '../../src/domain/session';
import { openDatabase, type Database } from '../../src/read-model/connect';
import type { Delivery } from '../../src/domain/wallet-rules';
import { createGuards } from '../../src/read-model/guards';
import { dataConverterOf, encrypts } from '../../src/payloads/data-converter';
import type { PayloadKeys } from '../../src/payloads/keys';
import { createRounds, ensureRoundIndexes, type Rounds } from '../../src/read-model/rounds';
import { createRoundQueries } from '../../src/queries/rounds';
import { createTicketChooser } from '../../src/tickets';
import { ownIdentity } from '../../src/temporal-identity';
import { createWorker, type WorkerSlots } from '../../worker/worker';
import { until } from './until';
import { walletControls, type WalletControls } from './wallet-controls';
import { workflowBundle } from './workflow-bundle';

/** Three operators of one sandbox wallet; the last can't take back a follow-up debit alone. */
export const OPERATORS = [
  { operatorId: 'op1', secrets: ['harness-secret-1'] },
  { operatorId: 'op2', secrets: ['harness-secret-2'] },
  { operatorId: 'op-whole', secrets: ['harness-secret-3'], voidsWholeRound: true },
];
/** After this error id the operators want a credit to be sent again. */
export const REPEATABLE_ERROR_ID = 777;
/** The game that takes follow-up debits. */
export const FOLLOW_UP_GAME = 'follow-up-slot';

/** What the operators' settings are today; a test may change them while rounds run. */
export interface LiveSettings {
  walletTimeoutMs: number;
  /** Instead of those that the wallet knows. */
  secrets?: string[] | undefined;
}

export interface RoundsOptions {
  /** Default: 4 s. */
  walletTimeoutMs?: number;
  roundSettings?: Partial<RoundSettings>;
  /** Default: the server of this jest run. */
  mongodbUri?: string;
  database?: string;
  /** Where doAutoClose goes; by default nobody listens there. */
  gameUrl?: string | undefined;
  /** Default `any`: the wallet is on this machine. */
  addresses?: CallbackAddresses;
  /** Default: the server of this jest run. */
  temporalAddress?: string;
  namespace?: string;
  /** Of the worker, its workflows' lines included; default: errors on the console. */
  logger?: Logger;
  taskQueue?: string;
  /** `none`: the test runs its own workers. */
  worker?: 'in-process' | 'none';
  workerSlots?: Partial<WorkerSlots>;
  /** Replaces activities of the harness's own worker. */
  around?: (activities: Activities) => Activities;
  /**
   * How answers are handed to callers of this process, as in `npm run service`; `apart`: the update answers, as where
   * API and worker are processes of their own.
   */
  answers?: Partial<Pick<LocalWorker, 'waitingCalls' | 'askAfterMs'>> | 'apart';
  /** Of the wallet client; by default a worker's, without the breaker. */
  guard?: Partial<WalletGuardOptions>;
  /** How the client reads and writes payloads. */
  dataConverter?: DataConverter;
}

/** Rounds without the HTTP edge: real Temporal, real mongod, a worker in this process, the sandbox's wallet. */
export interface RoundsHarness extends WalletControls {
  commands: RoundService;
  /** As the operator asks for it. */
  reconcile(operatorId: string, gameround: string): Promise<ReconcileResult>;
  client: Client;
  rounds: Rounds;
  db: Db;
  walletUrl: string;
  taskQueue: string;
  /** What new rounds get; a test may change it for the rounds that it starts from then on. */
  roundSettings: RoundSettings;
  /** What its workers say of their wallet calls, oldest first. */
  deliveries: readonly Delivery[];
  /** What `npm run repair-records` does. */
  repair(since: Date): Promise<Repaired>;
  live: LiveSettings;
  newSession(change?: Partial<Session>): Session;
  handle(gameround: string): WorkflowHandle;
  /** Of this harness's world, for workers of a test's own. */
  activities: Activities;
  /** A worker of the test's own, with these activities where some are held up, and with another workflow bundle. */
  startWorker(
    activities?: Activities,
    bundlePath?: string,
  ): Promise<{ client: Client; stop(): Promise<void> }>;
  /** Waits until the workflow has the outcome of the newest record: a caller has its answer before that. */
  taken(gameround: string): Promise<void>;
  /** The marks that stand on the workflow. */
  attention(gameround: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** Walletlike time-outs are short here, so that hanging calls don't hold up the tests. */
const SETTINGS: RoundSettings = {
  autoCloseAfterMs: 24 * 3_600_000,
  voidsWholeRound: false,
  followUpDebits: false,
  gameRoundReport: false,
  resultCallback: false,
};

export async function startRounds(options: RoundsOptions = {}): Promise<RoundsHarness> {
  Runtime.install({ logger: options.logger ?? new DefaultLogger('ERROR') });
  const address = options.temporalAddress ?? required('TEST_TEMPORAL_ADDRESS');
  const namespace = options.namespace ?? 'default';
  const taskQueue = options.taskQueue ?? `test-${randomUUID()}`;
  const roundSettings: RoundSettings = { ...SETTINGS, ...options.roundSettings };
  const live: LiveSettings = { walletTimeoutMs: options.walletTimeoutMs ?? 4_000 };
  const wallet = await createWalletApp({ operators: OPERATORS }).start();
  const name = options.database ?? `rounds_${randomUUID().slice(0, 8)}`;
  const database = openDatabase(options.mongodbUri ?? required('TEST_MONGODB_URI'), name);
  const http = createHttpClient({ addresses: options.addresses ?? 'any' });
  const connection = await Connection.connect({ address });
  const client = new Client({
    ...{ connection, namespace, dataConverter: options.dataConverter ?? {}, identity: ownIdentity() },
  });
  const rounds = createRounds(database.db, 'test');
  await ensureRoundIndexes(rounds);
  const here: LocalWorker | undefined =
    options.answers === 'apart'
      ? undefined
      : { waitingCalls: createWaitingCalls(), guards: createGuards(database.db), ...options.answers };
  const deliveries: Delivery[] = [];
  const activities = activitiesOver(database, http, {
    walletUrl: wallet.url,
    gameUrl: options.gameUrl,
    live,
    // Tests of faults have no business with the breaker: players that have nothing to do with each other share operators.
    guard: { failuresInARow: 1_000_000, ...options.guard },
    control: createRoundControl(client, (gameround) => rounds.find(gameround), taskQueue),
    times: createServerTimes(client),
    attempts: createAttempts(client),
    previousRuns: createPreviousRuns(client),
    waitingCalls: here?.waitingCalls,
    observe: (delivery) => void deliveries.push(delivery),
  });
  const startWorker: RoundsHarness['startWorker'] = (own = activities, bundlePath) =>
    runWorker({
      ...{ address, namespace, taskQueue, activities: own, slots: options.workerSlots, bundlePath },
      askNow: here?.waitingCalls.askNow,
    });
  const worker = options.worker === 'none' ? undefined : await startWorker(options.around?.(activities));
  const queries = createRoundQueries(rounds, createGuards(database.db));
  const chooseTicket = createTicketChooser({
    wallet: createOperatorWallet(http),
    operatorOf: (operatorId) => addressOf(operatorId, wallet.url, live),
    ticketUse: (...ofPlayer) => queries.ticketUse(...ofPlayer),
  });
  const ports = portsOver(database, rounds, roundSettings, chooseTicket);
  const local = here && { ...here, client: worker?.client };
  const commands = createCommands(client, ports, { taskQueue, local });
  const handle = (gameround: string): WorkflowHandle => client.workflow.getHandle(workflowIdOf(gameround));
  const taken = async (gameround: string): Promise<void> => {
    const isTaken = async (): Promise<boolean> => {
      const { phase, version } = await handle(gameround).query(stateQuery);
      if (phase === 'idle' || phase === 'retrying') return true;
      // While MongoDB is down there is no newer record.
      const record = await rounds.recorded(gameround).catch(() => undefined);
      return record?.version !== version;
    };
    await until(isTaken, (found) => found);
  };
  return {
    ...walletControls(wallet.url),
    commands,
    reconcile: createReconciliation(client, (gameround) => commands.describeRound(gameround), taskQueue),
    client,
    rounds,
    db: database.db,
    walletUrl: wallet.url,
    taskQueue,
    roundSettings,
    deliveries,
    repair: (since) =>
      repairRecords(
        client,
        { ...ports, unfinishedRecords: (time) => rounds.unfinished(time) },
        since,
        taskQueue,
      ),
    live,
    newSession: sessionOf,
    startWorker,
    activities,
    handle,
    taken,
    attention: async (gameround) => {
      await taken(gameround);
      const { typedSearchAttributes } = await handle(gameround).describe();
      return typedSearchAttributes.get(GAMEROUND_ATTENTION) ?? [];
    },
    stop: async () => {
      await worker?.stop();
      await callsEnded(client);
      await connection.close();
      await http.close();
      await database.db.dropDatabase().catch(() => undefined);
      await database.client.close();
      await wallet.close();
    },
  };
}

const NO_KEYS: PayloadKeys = { keys: [], readKeys: [] };

export interface ActivitySettings {
  walletUrl: string;
  gameUrl: string | undefined;
  live: LiveSettings;
  guard?: Partial<WalletGuardOptions>;
  /** Only reconciliation needs one. */
  control?: RoundControl;
  /** Only bets that aren't a first attempt of a first one need them. */
  times?: ServerTimes;
  attempts?: Attempts;
  /** Only rounds that were reset need them. */
  previousRuns?: PreviousRuns;
  /** Default: no caller waits in the worker's process. */
  waitingCalls?: WaitingCalls | undefined;
  observe?: (delivery: Delivery) => void;
}

const noReconciliation = (): Promise<never> => Promise.reject(new Error('no reconciliation in this test'));
const NO_CONTROL: RoundControl = {
  closeForReconciliation: noReconciliation,
  resolveCrashed: noReconciliation,
  read: noReconciliation,
};

const NO_REPORTS: Attempts = { report: () => Promise.resolve() };
const NO_TIMES: ServerTimes = { startedAt: noReconciliation, signalledAt: noReconciliation };
const NO_PREVIOUS_RUNS: PreviousRuns = { newest: noReconciliation };

/** The real activities over a database and the sandbox's wallet. */
export function activitiesOver(
  { db }: Database,
  http: HttpClient,
  {
    walletUrl,
    gameUrl = 'http://127.0.0.1:9',
    live,
    guard,
    control = NO_CONTROL,
    times = NO_TIMES,
    attempts = NO_REPORTS,
    previousRuns = NO_PREVIOUS_RUNS,
    waitingCalls = createWaitingCalls(),
    observe = () => undefined,
  }: ActivitySettings,
): Activities {
  const wallet = guardedWallet(createOperatorWallet(http), { ...WALLET_GUARD, ...guard });
  return createActivities({
    tenants: {
      operator: (operatorId) => {
        const address = addressOf(operatorId, walletUrl, live);
        if (address === undefined) return Promise.reject(new Error(`unknown operator ${operatorId}`));
        return Promise.resolve({
          ...address,
          repeatableErrorIds: [REPEATABLE_ERROR_ID],
          strictReplies: false,
        });
      },
      provider: (providerId) => Promise.resolve({ providerId, gameUrl, secrets: ['s'] }),
    },
    wallet,
    provider: createProviderClient(http),
    guards: createGuards(db),
    rounds: createRounds(db, 'test'),
    ...{ times, attempts },
    previousRuns,
    environment: 'test',
    control,
    gameSettings: () => Promise.resolve({ jurisdiction: 'test' }),
    observe,
    waitingCalls,
  });
}

function addressOf(
  operatorId: string,
  operatorUrl: string,
  { walletTimeoutMs, secrets: changed }: LiveSettings,
): OperatorAddress | undefined {
  const secrets = OPERATORS.find((known) => known.operatorId === operatorId)?.secrets;
  return secrets && { operatorId, operatorUrl, secrets: changed ?? secrets, walletTimeoutMs };
}

interface WorkerSettings {
  address: string;
  namespace: string;
  taskQueue: string;
  activities: Activities;
  slots?: Partial<WorkerSlots> | undefined;
  askNow?: ((call: string) => void) | undefined;
  /** Without any, everything is in the clear. */
  payloads?: PayloadKeys;
  bundlePath?: string | undefined;
}

export async function runWorker({
  address,
  payloads = NO_KEYS,
  bundlePath,
  ...settings
}: WorkerSettings): Promise<{ client: Client; stop(): Promise<void> }> {
  const connection = await NativeConnection.connect({ address });
  const bundle = bundlePath ?? (await workflowBundle(encrypts(payloads) ? 'encoded' : 'plain'));
  const workflows = { bundlePath: bundle };
  const dataConverter = dataConverterOf(payloads);
  const worker = await createWorker({ connection, workflows, dataConverter, ...settings });
  const running = worker.run();
  const { namespace } = settings;
  return {
    client: new Client({ connection, namespace, dataConverter, identity: ownIdentity() }),
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

function portsOver(
  { db }: Database,
  rounds: Rounds,
  roundSettings: RoundSettings,
  chooseTicket: CommandPorts['chooseTicket'],
): CommandPorts {
  const guards = createGuards(db);
  return {
    warn: () => undefined,
    findRecord: (gameround) => rounds.read(gameround),
    findRecorded: (gameround) => rounds.recorded(gameround),
    findStanding: (gameround) => rounds.standing(gameround),
    repairRecord: (state) => repairRecord(rounds, state),
    guards,
    settingsFor: ({ operatorId, gameCode }) =>
      Promise.resolve({
        ...roundSettings,
        voidsWholeRound: operatorId === 'op-whole',
        followUpDebits: gameCode === FOLLOW_UP_GAME,
      }),
    chooseTicket,
  };
}

function sessionOf(more: Partial<Session> = {}): Session {
  return {
    sessionId: randomUUID(),
    operatorId: 'op1',
    playerId: `player-${randomUUID()}`,
    gameCode: 'demo-slot',
    providerId: 'gp1',
    mode: 'real',
    currency: 'EUR',
    currencyMultiplier: 1,
    language: 'en',
    device: 'desktop',
    walletMode: 'seamless',
    expired: false,
    ...more,
  };
}

export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is set by jest's global setup`);
  return value;
}
