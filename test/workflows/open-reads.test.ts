import { randomUUID } from 'node:crypto';
import { totalWon } from '../../src/domain/round/winnings';
import { playerOf, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* An open round is read from its record while nothing has happened since, otherwise from its workflow. */

let harness: RoundsHarness;
let player: Player;
/** Questions to workflows: reads are updates that their validator answers. */
let asked: jest.SpyInstance;

beforeEach(async () => {
  // Answers come from the worker of this process, even if the machine is busy: an update adds events.
  harness = await startRounds({ answers: { askAfterMs: 60_000 } });
  player = playerOf(harness);
  asked = jest.spyOn(harness.client.workflowService, 'updateWorkflowExecution');
});
afterEach(() => harness.stop());

/** Reads the round after its workflow has taken everything in. */
async function read(hash: string): Promise<[won: number, wasAsked: boolean]> {
  await harness.taken(hash);
  asked.mockClear();
  const round = (await harness.commands.describeRound(hash))!;
  expect(round.status).toBe('open');
  return [totalWon(round), asked.mock.calls.length > 0];
}

test.each<[what: string, play: () => Promise<[hash: string, won: number]>]>([
  ['a start', async () => [await player.open(), 0]],
  ['a start with a win', async () => [await player.open({ winAmount: 30 }), 30]],
  [
    'a win',
    async () => {
      const hash = await player.open();
      await player.win(hash, { winAmount: 70 });
      return [hash, 70];
    },
  ],
  [
    'a paid win',
    async () => {
      const hash = await player.open({ winAmount: 30 });
      await player.win(hash, { winAmount: 70 });
      await player.collect(hash, 40);
      return [hash, 100];
    },
  ],
])('after %s the workflow is not asked', async (_what, play) => {
  const [hash, won] = await play();
  expect(await read(hash)).toEqual([won, false]);
});

test('a record that is lost, of an older copy or of another run is not read', async () => {
  const { collection } = harness.rounds;
  const hash = await player.open();
  const older = await collection.findOne({ _id: hash });
  await player.win(hash, { winAmount: 70 });
  await harness.taken(hash);
  await collection.replaceOne({ _id: hash }, older!);
  expect(await read(hash)).toEqual([70, true]);
  const idleAt = { runId: randomUUID(), events: 1_000 };
  await collection.updateOne({ _id: hash }, { $set: { idleAt } });
  expect(await read(hash)).toEqual([70, true]);
  await collection.deleteOne({ _id: hash });
  expect(await read(hash)).toEqual([70, true]);
});
