import { randomUUID } from 'node:crypto';
import { workflowIdOf } from '../../src/contracts/gameround';
import { finished, playerOf, refused, STAKE } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* What a text may be, where it matters: no bet is sent for a call that is refused (docs/interface#text-rules). */

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

const LONGEST_ID = '\u{1F3B0}'.repeat(128);

test('a start whose rngCallId has 128 characters of two units each is taken, and its round can be finished', async () => {
  const player = playerOf(harness);
  const started = await player.start({ rngCallId: LONGEST_ID });
  expect(started.refusal).toBeUndefined();
  const { hash } = started.gameRoundInfo;
  expect(await player.win(hash, { rngCallId: LONGEST_ID, winAmount: 5 })).toMatchObject({
    amountToCollect: 5,
  });
  expect(await player.end(hash, LONGEST_ID)).toMatchObject({ amountCredited: 5 });
  await finished(harness, hash);
  expect((await harness.ledger(hash)).net).toBe(5 - STAKE);
});

test('a start that its round could not read is refused before anything of it starts', async () => {
  const player = playerOf(harness);
  const rngCallId = `${LONGEST_ID}x`;
  expect(await refused(player.start({ rngCallId }))).toBe('400 INVALIDREQUEST: rngCallId');
  expect(await harness.callsOfPlayer(player.session.playerId)).toEqual([]);
});

test('a round that somebody starts by hand with a bet that can not be read fails, and nothing is sent', async () => {
  const player = playerOf(harness);
  const gameround = randomUUID();
  const identity = { ...player.session, gameround };
  const command = {
    type: 'start',
    stake: -5,
    currency: 'EUR',
    useTicket: false,
    endGame: false,
    winAmount: 0,
  };
  const started = await harness.client.workflow.start('gameround', {
    workflowId: workflowIdOf(gameround),
    taskQueue: harness.taskQueue,
    args: [{ identity, settings: harness.roundSettings, command }],
  });
  await expect(started.result()).rejects.toThrow();
  expect(await harness.calls(gameround)).toEqual([]);
});
