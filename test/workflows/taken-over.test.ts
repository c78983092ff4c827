import { setTimeout as sleep } from 'node:timers/promises';
import { createRoundClient, type RoundClient } from '../../src/commands/round-client';
import { COMMANDS, type RoundStateView } from '../../src/contracts/gameround';
import { playerOf } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/*
 * A worker that takes a round over knows it from its history alone. It must come to the same round, to the millisecond,
 * also where the round was asked how it stands between its tasks.
 */

const ROUNDS = 8;
const WINS = 30;

let harness: RoundsHarness;
let client: RoundClient;
let worker: { stop(): Promise<void> } | undefined;
let isAway = false;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none', answers: 'apart' });
  client = createRoundClient(harness.client, harness.taskQueue);
});
afterAll(async () => {
  await worker?.stop();
  await harness?.stop();
});

async function takeOver(): Promise<void> {
  await worker?.stop();
  const { activities } = harness;
  worker = await harness.startWorker({
    ...activities,
    project: (...args) =>
      isAway ? Promise.reject(new Error('the database is away')) : activities.project(...args),
  });
}

/** As the service asks a running round. */
const stateOf = async (hash: string): Promise<RoundStateView> => (await client.state(hash))!;

const win = (hash: string, key: string): Promise<void> =>
  harness.handle(hash).signal(COMMANDS.addWin.signal, { type: 'addWin', key, winAmount: 5, collect: false });

async function playWhileAsked(hash: string): Promise<void> {
  let isOver = false;
  const askOn = async (): Promise<void> => {
    while (!isOver) await stateOf(hash);
  };
  const asking = [askOn(), askOn()];
  for (let count = 0; count < WINS; count += 1) {
    await sleep(Math.random() * 60);
    await win(hash, `win ${count}`);
  }
  isOver = true;
  await Promise.all(asking);
}

test('a round that another worker takes over stands as it stood, also what came while the database was away', async () => {
  await takeOver();
  const hashes = await Promise.all(Array.from({ length: ROUNDS }, () => playerOf(harness).open()));
  isAway = true;
  await Promise.all(hashes.map((hash) => win(hash, 'the first while it is away')));
  // Its record is written in the background from here on.
  for (const hash of hashes)
    while (!(await stateOf(hash)).attention.includes('projection-pending')) await sleep(100);
  await Promise.all(hashes.map(playWhileAsked));
  const before = await Promise.all(hashes.map(stateOf));
  await takeOver();
  const after = await Promise.all(hashes.map(stateOf));
  isAway = false;

  expect(before.map(({ gameState }) => gameState.length)).toEqual(hashes.map(() => WINS + 2));
  expect(after.map(({ gameState }) => gameState)).toEqual(before.map(({ gameState }) => gameState));
});
