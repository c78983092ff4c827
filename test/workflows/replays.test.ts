import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { stateQuery } from '../../src/contracts/gameround';
import { finished, playerOf, repeated } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

/*
 * Whatever comes in while something is on its way (commands, questions, answers of the wallet and the database, in any
 * order), a round's history can be replayed: a worker that takes over needs that, and so does reconciliation.
 */

const LANES = 12;
const ROUNDS_PER_LANE = 2;
const DELAY_MS = 400;
/** A record that is written later than that is marked, one that isn't written at once is written in the background. */
const LATE_MS = 2_300;
const FAILING = 0.3;
const LATE = 0.15;

let harness: RoundsHarness;
let worker: { stop(): Promise<void> };

const some = (ms: number): Promise<void> => sleep(Math.random() * ms);

beforeAll(async () => {
  harness = await startRounds({
    worker: 'none',
    roundSettings: { gameRoundReport: true, resultCallback: true },
  });
  const { activities } = harness;
  // The real ones, held up here and there.
  worker = await harness.startWorker({
    ...activities,
    deliver: async (delivery) => {
      const result = await activities.deliver(delivery);
      await some(DELAY_MS);
      return result;
    },
    project: async (round) => {
      if (Math.random() < FAILING) throw new Error('the database is not there');
      await (Math.random() < LATE ? sleep(LATE_MS) : some(DELAY_MS));
      return activities.project(round);
    },
    fetchResult: () => some(DELAY_MS).then(() => ({})),
    report: () => some(DELAY_MS),
  });
});

afterAll(async () => {
  await worker?.stop();
  await harness?.stop();
});

/** Plays a round to its end with several callers at once, while somebody keeps asking how it stands. */
async function play(): Promise<string> {
  const player = playerOf(harness);
  const settle = (call: Promise<unknown>): Promise<unknown> => call.catch(() => undefined);
  // On a busy machine a start may outlast its call: it is repeated, as a provider does.
  const ids = { winAmount: 40, requestId: randomUUID() };
  const { hash } = (await repeated(() => player.start(ids))).gameRoundInfo;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      // As a person asks in Temporal Web.
      await settle(harness.handle(hash).query(stateQuery));
      await some(60);
    }
  })();
  await Promise.all([
    settle(player.win(hash, { winAmount: 5, collect: true })),
    settle(player.win(hash, { winAmount: 7 })),
    settle(player.start()),
    some(DELAY_MS).then(() => settle(player.end(hash, 'end'))),
    some(DELAY_MS).then(() => settle(player.end(hash, 'end again'))),
  ]);
  await settle(player.end(hash, 'end'));
  await finished(harness, hash);
  isOver = true;
  await asking;
  return hash;
}

test('every history of rounds under several callers, questions and a database that comes and goes replays', async () => {
  const bundle = { codePath: await workflowBundle() };
  const lane = async (): Promise<void> => {
    for (let count = 0; count < ROUNDS_PER_LANE; count += 1) {
      const history = await harness.handle(await play()).fetchHistory();
      await Worker.runReplayHistory({ workflowBundle: bundle }, history);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}, 240_000);
