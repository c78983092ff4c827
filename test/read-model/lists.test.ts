import { randomUUID } from 'node:crypto';
import { calculateObjectSize } from 'bson';
import { MongoClient, type Db, type Document } from 'mongodb';
import { snapshotOf } from '../../src/domain/round/replies';
import { listedRound } from '../../src/domain/round/record';
import type { RoundSnapshot } from '../../src/domain/round/types';
import type { Session } from '../../src/domain/session';
import { createDemoStore } from '../../src/demo';
import { createRoundQueries, type RoundQueries } from '../../src/queries/rounds';
import { createGuards } from '../../src/read-model/guards';
import { createRounds, ensureRoundIndexes, type Rounds } from '../../src/read-model/rounds';
import { required } from '../support/rounds-harness';
import { ACCEPTED, addWin, end, opened, spins, ticketStart } from '../domain/support';

/* Lists read what they show, by an index: what a round weighs is its provider's affair. */

const HEAVY_BYTES = 200_000;
const ROUNDS = 40;
const SESSION = {
  operatorId: 'op1',
  playerId: 'player-1',
  providerId: 'gp1',
  gameCode: 'demo-slot',
} as Session;

let client: MongoClient;
let db: Db;
let rounds: Rounds;
let queries: RoundQueries;
/** Bytes that MongoDB has sent, and the commands that it was sent. */
let heard = 0;
let commands: Document[] = [];

function heavy(status: 'open' | 'closed', index: number): RoundSnapshot {
  const round = opened(ticketStart());
  for (let at = 0; at < 20; at += 1) {
    round.do(addWin(`w${at}`, 5, { betData: { reels: 'x'.repeat(HEAVY_BYTES / 20) } }));
  }
  round.do(spins('s1', 'free', 2, 1));
  if (status === 'closed') round.do(end(), ACCEPTED);
  const snapshot = snapshotOf(round.state);
  const minute = String(index).padStart(2, '0');
  return {
    ...snapshot,
    identity: { ...snapshot.identity, gameround: `${status}-${index}` },
    openedAt: `2026-03-01T10:${minute}:00.000Z`,
    dataStored: { reels: `7-7-${index}` },
    ...(status === 'closed' ? { closedAt: `2026-03-02T10:${minute}:00.000Z` } : {}),
  };
}

beforeAll(async () => {
  client = await MongoClient.connect(required('TEST_MONGODB_URI'), { monitorCommands: true });
  db = client.db(`lists-${randomUUID()}`);
  rounds = createRounds(db, 'test');
  await ensureRoundIndexes(rounds);
  queries = createRoundQueries(rounds, createGuards(db));
  client.on('commandStarted', ({ command }) => void commands.push(command));
  client.on('commandSucceeded', ({ reply }) => void (heard += calculateObjectSize(reply as Document)));
  for (let index = 0; index < ROUNDS; index += 1) {
    for (const status of ['open', 'closed'] as const) await rounds.write(heavy(status, index), 1);
  }
});
beforeEach(() => {
  heard = 0;
  commands = [];
});
afterAll(async () => {
  await db?.dropDatabase();
  await client?.close();
});

/** How MongoDB carries out a command, without the plans that it has thought of as well. */
async function chosenPlan(command: Document): Promise<string> {
  const told = await db.command({ explain: command, verbosity: 'queryPlanner' });
  return JSON.stringify(told, (name, value: unknown) => (name === 'rejectedPlans' ? undefined : value));
}

const expected = (status: 'open' | 'closed', count: number) =>
  Array.from({ length: count }, (_, at) => listedRound(heavy(status, ROUNDS - 1 - at)));

const LISTS: [string, () => Promise<unknown>, unknown][] = [
  ['closedRounds', () => queries.closedRounds(SESSION, new Date(0), 30), expected('closed', 30)],
  ['openRoundsOfPlayer', () => queries.openRoundsOfPlayer(SESSION, 30), expected('open', 30)],
  ['openRoundsByGame', () => queries.openRoundsByGame('gp1', 'demo-slot', 30), expected('open', 30)],
  [
    'ticketUse',
    () => queries.ticketUse('op1', 'player-1', 'T-1'),
    { used: 2 * ROUNDS, won: 2 * ROUNDS * 100 },
  ],
  [
    'standing',
    () => queries.standing('open-1'),
    {
      ...{ status: 'open', attention: [] },
      identity: { ...SESSION, gameround: 'open-1', sessionId: 'session-hash', currency: 'EUR' },
    },
  ],
];

test.each(LISTS)('%s reads at most 1 KB a round, whatever the rounds weigh', async (_name, ask, answer) => {
  expect(await ask()).toEqual(answer);
  expect(heard).toBeGreaterThan(0);
  expect(heard).toBeLessThan(32 * 1_024);
});

test('closedRounds of rounds with as much data as can be: the newest, 4 MiB of it', async () => {
  for (let index = 0; index < 100; index += 1) {
    const { identity, ...round } = heavy('closed', 0);
    const closedAt = new Date(Date.UTC(2026, 2, 3) + index).toISOString();
    const dataStored = { index: `${index}`, reels: 'x'.repeat(65_000) };
    const own = { ...identity, gameround: `large-${index}`, playerId: 'player-2' };
    await rounds.write({ ...round, gameState: [], identity: own, closedAt, dataStored }, 1);
  }
  heard = 0;
  const listed = await queries.closedRounds({ ...SESSION, playerId: 'player-2' }, new Date(0), 200);
  const newest = Array.from({ length: listed.length }, (_, at) => String(99 - at));
  expect(listed.map(({ dataStored }) => dataStored?.['index'])).toEqual(newest);
  expect(listed.length).toBe(64);
  expect(heard).toBeLessThan(5 * 1_024 * 1_024);
});

test.each(LISTS)('%s finds and sorts by an index', async (_name, ask) => {
  await ask();
  const [{ lsid: _lsid, $clusterTime: _time, $db: _db, maxTimeMS: _max, ...asked } = {}] = commands;
  const { $readPreference: _preference, readConcern: _concern, ...command } = asked;
  expect(await chosenPlan(command)).toMatch(/"stage":"(IXSCAN|IDHACK)"/);
  expect(await chosenPlan(command)).not.toMatch(/"stage":"(COLLSCAN|SORT)"/);
});

test('the whole of a round is there when it is asked for', async () => {
  expect(await rounds.find('closed-7')).toEqual(JSON.parse(JSON.stringify(heavy('closed', 7))));
});

test('a demo round is found by an index, the newest session first', async () => {
  const store = createDemoStore(db);
  await store.prepare();
  commands = [];
  await store.findByRound('r1');
  const { filter, sort } = commands.find(({ find }) => find === 'demosessions') as Record<string, Document>;
  expect(await chosenPlan({ find: 'demosessions', filter, sort })).not.toMatch(/"stage":"(COLLSCAN|SORT)"/);
});
