import { randomUUID } from 'node:crypto';
import { finished, playerOf, refused, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A game moves to another provider in mid-round: to each provider the other's rounds are as if they did not exist. */

let harness: RoundsHarness;
let before: Player;
let after: Player;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

/** One player in one game, launched before and after the move. */
beforeEach(() => {
  const playerId = `player-${randomUUID()}`;
  before = playerOf(harness, { playerId, providerId: 'gp1' });
  after = playerOf(harness, { playerId, providerId: 'gp2' });
});

test.each([false, true])(
  'the new one starts a round beside one that is open, closeOpenGame %s',
  async (closeOpenGame) => {
    const old = await before.open({ winAmount: 40 });
    const { gameRoundInfo, refusal } = await after.start({ closeOpenGame });
    expect([gameRoundInfo.status, refusal]).toEqual(['open', undefined]);
    expect(gameRoundInfo.hash).not.toBe(old);
    expect(await before.end(old)).toMatchObject({ amountCredited: 40, gameRoundInfo: { status: 'closed' } });
    await finished(harness, old);
    // The guard is the new round's, and stays so.
    expect(await refused(after.start())).toBe('400 GAMEROUNDALREADYSTARTED');
  },
);

test('the new one is shown nothing of a round of the same name, open or over', async () => {
  const old = await before.open({ roundId: 'r' });
  expect(await refused(after.start({ roundId: 'r' }))).toBe('404 GAMEROUNDNOTFOUND');
  await before.end(old);
  await finished(harness, old);
  expect(await refused(after.start({ roundId: 'r' }))).toBe('404 GAMEROUNDNOTFOUND');
});
