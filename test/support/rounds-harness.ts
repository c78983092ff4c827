import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { MongoClient, type Db } from 'mongodb';
import { createActivities } from '../../activities';
import { createSlots } from '../../activities/slots';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import { createProviderClient } from '../../src/clients/game-provider';
import { createHttpClient } from '../../src/clients/http';
import { createOperatorWallet } from '../../src/clients/operator-wallet';
import type { OperatorAddress } from '../../src/clients/types';
import { createCommands } from '../../src/commands';
import type { GameroundCommands } from '../../src/commands/types';
import type { RoundPolicy } from '../../src/domain/round/types';
import type { Session } from '../../src/domain/session';
import { openDatabase } from '../../src/read-model/connect';
import { createDeliveryMarks } from '../../src/read-model/delivery-marks';
import { createGuards } from '../../src/read-model/guards';
import { createRounds, type Rounds } from '../../src/read-model/rounds';
import { refuse } from '../../src/domain/errors';
import { createWorker } from '../../worker/worker';

/** Rounds without the HTTP edge: real Temporal, real mongod, a worker in this process, the sandbox's wallet. */
export interface RoundsHarness {
  commands: GameroundCommands;
  client: Client;
  rounds: Rounds;
  db: Db;
  walletUrl: string;
  policy: RoundPolicy;
  newSession(change?: Partial<Session>): Session;
  fault(fault: object): Promise<void>;
  ledger(gameround: string): Promise<LedgerEntry[]>;
  calls(gameround?: string): Promise<WalletCallSeen[]>;
  stop(): Promise<void>;
}

export interface LedgerEntry {
  type: string;
  hash: string;
  amount: number;
  [more: string]: unknown;
}

export interface WalletCallSeen {
  path: string;
  status: number;
  body: { gameRound: string; transactions: { type: string; hash: string; amount?: number }[] };
  [more: string]: unknown;
}

const SECRET = 'harness-operator-secret';

export async function startRounds(change: Partial<RoundPolicy> = {}): Promise<RoundsHarness> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const operatorId = 'op1';
  const taskQueue = `test-${randomUUID()}`;
  const wallet = await createWalletApp({ operators: [{ operatorId, secrets: [SECRET] }] as never }).start();
  const policy: RoundPolicy = {
    walletTimeoutMs: 1_000,
    autoCloseAfterMs: 24 * 3_600_000,
    voidsWholeRound: false,
    followUpDebits: false,
    gameRoundReport: false,
    resultCallback: false,
    ...change,
  };
  const operator: OperatorAddress & { repeatableErrorIds: number[] } = {
    operatorId,
    operatorUrl: wallet.url,
    secrets: [SECRET],
    walletTimeoutMs: policy.walletTimeoutMs,
    repeatableErrorIds: [777],
  };
  const database = openDatabase(required('TEST_MONGODB_URI'), `rounds_${randomUUID().slice(0, 8)}`);
  const rounds = createRounds(database.db, 'test');
  const guards = createGuards(database.db);
  const http = createHttpClient();
  const activities = createActivities({
    tenants: {
      operator: () => Promise.resolve(operator),
      provider: () => Promise.resolve({ providerId: 'gp1', gameUrl: 'http://127.0.0.1:9', secrets: ['s'] }),
    },
    wallet: createOperatorWallet(http),
    provider: createProviderClient(http),
    guards,
    marks: createDeliveryMarks(database.db),
    rounds,
    slots: createSlots(8),
    gameSettings: () => Promise.resolve({}),
    observe: () => undefined,
  });
  const address = required('TEST_TEMPORAL_ADDRESS');
  const native = await NativeConnection.connect({ address });
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('../../workflows'),
    logger: new DefaultLogger('ERROR'),
  });
  const worker: Worker = await createWorker({
    connection: native,
    namespace: 'default',
    activities,
    workflows: { code },
    taskQueue,
  });
  const running = worker.run();
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const commands = createCommands(
    client,
    {
      findRecord: (gameround) => rounds.find(gameround),
      guards,
      policyFor: () => Promise.resolve(policy),
      chooseTicket: () => Promise.reject(refuse('NOTICKETAVAILABLE')),
    },
    { taskQueue },
  );
  const admin = async (path: string, init?: RequestInit): Promise<unknown> => {
    const reply = await fetch(`${wallet.url}/sandbox/${path}`, init);
    if (!reply.ok) throw new Error(`sandbox ${path}: ${reply.status} ${await reply.text()}`);
    return reply.status === 204 ? undefined : reply.json();
  };
  return {
    commands,
    client,
    rounds,
    db: database.db,
    walletUrl: wallet.url,
    policy,
    newSession: (more = {}) => sessionOf(operatorId, more),
    fault: async (fault) => {
      const headers = { 'content-type': 'application/json' };
      await admin('faults', { method: 'POST', headers, body: JSON.stringify(fault) });
    },
    ledger: async (gameround) => {
      const found = (await admin(`ledger?gameRound=${gameround}`)) as { entries: LedgerEntry[] };
      return found.entries;
    },
    calls: async (gameround) => {
      const { calls } = (await admin('calls')) as { calls: WalletCallSeen[] };
      return calls.filter(({ body }) => gameround === undefined || body?.gameRound === gameround);
    },
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      await native.close();
      await http.close();
      await database.db.dropDatabase();
      await (database.client as MongoClient).close();
      await wallet.close();
    },
  };
}

function sessionOf(operatorId: string, more: Partial<Session>): Session {
  return {
    sessionId: randomUUID(),
    operatorId,
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

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is set by jest's global setup`);
  return value;
}
