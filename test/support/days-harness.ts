import { encodeSearchAttributeIndexedValueType as indexedType } from '@temporalio/common/lib/search-attributes';
import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { WorkflowHandle } from '@temporalio/client';
import type { DeliveryResult, GameroundActivities, WalletDelivery } from '../../src/contracts/activities';
import {
  COMMANDS,
  GAMEROUND_WORKFLOW,
  workflowIdOf,
  type GameroundStart,
} from '../../src/contracts/gameround';
import {
  GAME_CODE,
  GAMEROUND_ATTENTION,
  OPERATOR_ID,
  PLAYER_ID,
  PROVIDER_ID,
  SEARCH_ATTRIBUTES,
} from '../../src/contracts/search-attributes';
import type { RoundSettings, RoundSnapshot } from '../../src/domain/round/types';
import { createWorker } from '../../worker/worker';
import { required } from './rounds-harness';
import { workflowBundle } from './workflow-bundle';

export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

type World = Partial<Omit<GameroundActivities, 'deliver'>> & {
  deliver?: (delivery: WalletDelivery) => Promise<DeliveryResult>;
};

/**
 * Rounds over days, on a server that skips the time in which nothing happens.
 *
 * Each test starts its own server, and is repeated once if it fails: rarely, this server stands still in the middle of a
 * day, without an error. If the second run fails, too, the round has a fault.
 */
export interface DaysHarness {
  env: TestWorkflowEnvironment;
  /** Every record that was written, the newest last. */
  records: RoundSnapshot[];
  /** The test's own activities. For the others, a wallet and a database accept everything. */
  world: World;
  open(settings?: Partial<RoundSettings>): Promise<string>;
  /** Lets this time pass. Rejects if the server does not skip it within 40 s. */
  sleep(ms: number): Promise<void>;
  handle(gameround: string): WorkflowHandle;
  end(gameround: string): Promise<unknown>;
  /** The marks of the workflow. */
  attention(gameround: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** Gives each test of a file its own server before the test's other set-up, and repeats a failed test once. */
export function daysOfEachTest(begin: (days: DaysHarness) => void): void {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
  let days: DaysHarness | undefined;
  beforeEach(async () => {
    days = await startDays();
    begin(days);
  });
  afterEach(async () => {
    await days?.stop();
    days = undefined;
  });
}

async function startDays(): Promise<DaysHarness> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const path = required('TEST_SERVER_BINARY');
  const env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  // This server can add search attributes, though not list them.
  const searchAttributes = Object.fromEntries(
    SEARCH_ATTRIBUTES.map(({ name, type }) => [name, indexedType(type) ?? 0]),
  );
  await env.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  const taskQueue = `skip-${randomUUID()}`;
  const records: RoundSnapshot[] = [];
  const world: World = {};
  const worker = await createWorker({
    connection: env.nativeConnection,
    namespace: 'default',
    activities: activitiesOf(world, records) as never,
    workflows: { bundlePath: await workflowBundle() },
    taskQueue,
  });
  const running = worker.run();
  const handle = (gameround: string): WorkflowHandle =>
    env.client.workflow.getHandle(workflowIdOf(gameround));
  return {
    env,
    records,
    world,
    handle,
    open: (settings) => open(env, taskQueue, settings),
    sleep: (ms) => within(40_000, `the server did not skip ${ms} ms`, env.sleep(ms)),
    end: (gameround) =>
      handle(gameround).executeUpdate(COMMANDS.end.update, {
        args: [{ type: 'end', key: randomUUID(), reason: 'endGameRound' }],
      }),
    attention: async (gameround) => {
      const { typedSearchAttributes } = await handle(gameround).describe();
      return typedSearchAttributes.get(GAMEROUND_ATTENTION) ?? [];
    },
    stop: async () => {
      worker.shutdown();
      await running;
      await env.teardown();
    },
  };
}

async function within<T>(ms: number, otherwise: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** Reads `world` at every call, because a test changes it while it runs. */
function activitiesOf(world: World, records: RoundSnapshot[]): GameroundActivities {
  const nothing = (): Promise<undefined> => Promise.resolve(undefined);
  return {
    async deliver(delivery) {
      const at = new Date(activityInfo().currentAttemptScheduledTimestampMs).toISOString();
      const result = (await world.deliver?.(delivery)) ?? { kind: 'accepted' };
      return { result, at };
    },
    deliverUntilDefinite: (delivery) =>
      world.deliverUntilDefinite?.(delivery) ?? Promise.resolve({ kind: 'accepted' }),
    newSecrets: (operatorId, rejectedSecrets) => world.newSecrets?.(operatorId, rejectedSecrets) ?? nothing(),
    project: (round) => {
      records.push(round.snapshot);
      return world.project?.(round) ?? nothing();
    },
    autoClose: (round) => world.autoClose?.(round) ?? nothing(),
    fetchResult: (round) => world.fetchResult?.(round) ?? Promise.resolve({}),
    report: (snapshot) => world.report?.(snapshot) ?? nothing(),
  };
}

async function open(
  env: TestWorkflowEnvironment,
  taskQueue: string,
  settings: Partial<RoundSettings> = {},
): Promise<string> {
  const gameround = randomUUID();
  const start: GameroundStart = {
    identity: {
      gameround,
      operatorId: 'op1',
      playerId: 'player',
      gameCode: 'demo-slot',
      providerId: 'gp1',
      sessionId: 'session',
      mode: 'real',
      currency: 'EUR',
      currencyMultiplier: 1,
      language: 'en',
    },
    settings: {
      autoCloseAfterMs: 48 * HOUR_MS,
      voidsWholeRound: false,
      followUpDebits: false,
      gameRoundReport: false,
      resultCallback: false,
      ...settings,
    },
    command: { type: 'start', stake: 1, currency: 'EUR', useTicket: false, endGame: false, winAmount: 0 },
  };
  await env.client.workflow.start(GAMEROUND_WORKFLOW, {
    workflowId: workflowIdOf(gameround),
    taskQueue,
    args: [start],
    typedSearchAttributes: [
      { key: OPERATOR_ID, value: 'op1' },
      { key: PLAYER_ID, value: 'player' },
      { key: GAME_CODE, value: 'demo-slot' },
      { key: PROVIDER_ID, value: 'gp1' },
    ],
  });
  return gameround;
}
