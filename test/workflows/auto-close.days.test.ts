import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import {
  endUpdate,
  GAMEROUND_WORKFLOW,
  stateQuery,
  workflowIdOf,
  type GameroundResult,
  type GameroundStart,
} from '../../src/contracts/gameround';
import type { GameroundActivities } from '../../src/contracts/activities';
import {
  GAME_CODE,
  GAMEROUND_ATTENTION,
  OPERATOR_ID,
  PLAYER_ID,
  PROVIDER_ID,
  SEARCH_ATTRIBUTES,
} from '../../src/contracts/search-attributes';
import type { RoundSnapshot } from '../../src/domain/round/types';
import { createWorker } from '../../worker/worker';
import { required } from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

/** A forgotten round over days, on a server that skips the time in which nothing happens (contract §8). */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const AFTER_MS = 48 * HOUR_MS;

let env: TestWorkflowEnvironment;
let stop: () => Promise<void>;
let taskQueue: string;
/** When the provider was asked, in the server's time. */
let asked: { gameround: string; at: number }[];
let records: RoundSnapshot[];
/** What the provider does at its nth call for a round. */
let provider: (gameround: string, attempt: number) => Promise<void>;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const path = required('TEST_SERVER_BINARY');
  env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  // This server can add search attributes, though not list them; 2 is a keyword, 7 a list of keywords.
  const searchAttributes = Object.fromEntries(
    SEARCH_ATTRIBUTES.map(({ name, type }) => [name, type === 'KEYWORD_LIST' ? 7 : 2]),
  );
  await env.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  taskQueue = `skip-${randomUUID()}`;
  const worker = await createWorker({
    connection: env.nativeConnection,
    namespace: 'default',
    activities: activities() as never,
    workflows: { bundlePath: await workflowBundle() },
    taskQueue,
  });
  const running = worker.run();
  stop = async () => {
    worker.shutdown();
    await running;
    await env.teardown();
  };
}, 60_000);

beforeEach(() => {
  asked = [];
  records = [];
});

afterAll(async () => {
  await stop?.();
});

/** A wallet and a database that take everything: only time is of interest here. */
function activities(): Partial<GameroundActivities> {
  return {
    deliver: () => Promise.resolve({ kind: 'accepted' }),
    settle: () => Promise.resolve({ kind: 'accepted' }),
    project: ({ snapshot }) => {
      records.push(snapshot);
      return Promise.resolve();
    },
    autoClose: async ({ gameround }) => {
      asked.push({ gameround, at: await env.currentTimeMs() });
      await provider(gameround, asked.length);
    },
  };
}

async function open(): Promise<string> {
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
    policy: {
      walletTimeoutMs: 1_000,
      autoCloseAfterMs: AFTER_MS,
      voidsWholeRound: false,
      followUpDebits: false,
      gameRoundReport: false,
      resultCallback: false,
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

async function attentionOf(gameround: string): Promise<string[]> {
  const { typedSearchAttributes } = await env.client.workflow.getHandle(workflowIdOf(gameround)).describe();
  return typedSearchAttributes.get(GAMEROUND_ATTENTION) ?? [];
}

const end = (gameround: string): Promise<unknown> =>
  env.client.workflow
    .getHandle(workflowIdOf(gameround))
    .executeUpdate(endUpdate, { args: [{ type: 'end', key: randomUUID(), reason: 'endGameRound' }] });

/** Gaps between attempts, in minutes. */
const gaps = (): number[] =>
  asked.slice(1).map(({ at }, index) => Math.round((at - (asked[index]?.at ?? 0)) / MINUTE_MS));

test('after 48 hours the provider is asked, and the round that it closes leaves nothing behind', async () => {
  provider = async (gameround) => void (await end(gameround));
  const openedAt = await env.currentTimeMs();
  const gameround = await open();
  const handle = env.client.workflow.getHandle(workflowIdOf(gameround));
  const result = (await handle.result()) as GameroundResult;
  expect(result).toMatchObject({ gameround, status: 'closed' });
  expect(asked).toHaveLength(1);
  expect(Math.abs((asked[0]?.at ?? 0) - openedAt - AFTER_MS)).toBeLessThan(5 * MINUTE_MS);
  expect(records.at(-1)).toMatchObject({ status: 'closed', attention: [] });
  expect(await attentionOf(gameround)).toEqual([]);
});

test('a failing provider is asked again after 1 minute, doubling to 1 hour, until the round is closed', async () => {
  provider = async (gameround, attempt) => {
    if (attempt <= 4) throw new Error('the provider answered 500');
    // Attempts 5 to 9 are answered 200 although the round is still open.
    if (attempt === 10) await end(gameround);
  };
  const gameround = await open();
  await env.client.workflow.getHandle(workflowIdOf(gameround)).result();
  expect(asked).toHaveLength(10);
  expect(gaps()).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  const { events } = await env.client.workflow.getHandle(workflowIdOf(gameround)).fetchHistory();
  const attempts = (events ?? []).filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'autoClose',
  );
  expect(attempts).toHaveLength(10);
});

test('past twice its time the round is marked for a person; the mark goes when it is closed', async () => {
  provider = () => Promise.reject(new Error('the provider answered 500'));
  const gameround = await open();
  const handle = env.client.workflow.getHandle(workflowIdOf(gameround));
  await env.sleep(2 * AFTER_MS - 2 * HOUR_MS);
  expect(asked.length).toBeGreaterThan(40);
  expect(await attentionOf(gameround)).toEqual([]);
  await env.sleep(2 * HOUR_MS + 5 * MINUTE_MS);
  expect(await attentionOf(gameround)).toEqual(['auto-close-failing']);
  expect((await handle.query(stateQuery)).attention).toEqual(['auto-close-failing']);
  expect(records.at(-1)).toMatchObject({ status: 'open', attention: ['auto-close-failing'] });
  const before = asked.length;
  await env.sleep(3 * HOUR_MS);
  expect(asked.length).toBeGreaterThanOrEqual(before + 2);
  await end(gameround);
  await handle.result();
  expect(await attentionOf(gameround)).toEqual([]);
  expect(records.at(-1)).toMatchObject({ status: 'closed', attention: [] });
});

test('a round that is closed early leaves no timer and is never asked for', async () => {
  provider = () => Promise.resolve();
  const gameround = await open();
  await env.sleep(HOUR_MS);
  await end(gameround);
  const handle = env.client.workflow.getHandle(workflowIdOf(gameround));
  await handle.result();
  await env.sleep(3 * AFTER_MS);
  expect(asked).toEqual([]);
  const { events } = await handle.fetchHistory();
  expect((events ?? []).some((event) => event.timerFiredEventAttributes)).toBe(false);
  expect((await handle.describe()).status.name).toBe('COMPLETED');
});
