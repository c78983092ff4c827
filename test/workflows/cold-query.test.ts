import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { stateQuery, type RoundReply } from '../../src/contracts/gameround';
import { finished, playerOf, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

/*
 * Temporal Web sends queries of its own when a person looks at a round. One that waits for a worker brings the newest
 * events to it, before their workflow task. With SDK 1.24 alone, some of these rounds hang, and some lose their update.
 */

const ROUNDS = 24;

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none', answers: 'apart' });
});
afterAll(() => harness?.stop());

const ignoreErrors = (asked: Promise<unknown>): Promise<unknown> => asked.catch(() => undefined);

test('a query that waits for a worker leaves a round, its answer and its history alone', async () => {
  const first = await harness.startWorker();
  const players = Array.from({ length: ROUNDS }, () => playerOf(harness));
  const rounds: { player: Player; hash: string }[] = [];
  // One after another: a busy machine takes longer than a bet's time for 24 at once.
  for (const player of players) rounds.push({ player, hash: await player.open() });
  await first.stop();

  for (const { hash } of rounds) void ignoreErrors(harness.handle(hash).query(stateQuery));
  // They are on their way to a worker: nothing else shows that.
  await sleep(1_000);
  const win = ({ player, hash }: (typeof rounds)[number]): Promise<RoundReply> =>
    player.win(hash, { winAmount: 5, collect: true, rngCallId: `win of ${hash}` });
  // A busy machine may take longer than the call's time. A win that is lost leaves its round open.
  for (const round of rounds) void ignoreErrors(win(round));
  await sleep(300);
  const second = await harness.startWorker();
  try {
    const bundle = { codePath: await workflowBundle() };
    for (const round of rounds) {
      const { hash } = round;
      await finished(harness, hash);
      expect((await win(round)).gameRoundInfo).toMatchObject({ status: 'closed' });
      await Worker.runReplayHistory({ workflowBundle: bundle }, await harness.handle(hash).fetchHistory());
    }
  } finally {
    await second.stop();
  }
});
