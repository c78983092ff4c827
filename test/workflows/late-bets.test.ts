import { activityInfo } from '@temporalio/activity';
import type { Activities } from '../../activities';
import { workflowIdOf } from '../../src/contracts/gameround';
import { finished, playerOf, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/*
 * Bets that no worker begins within their time (docs/interface#bet-age), although their process has confirmed the guard. Only
 * the server knows whether an attempt was begun.
 */

let harness: RoundsHarness;
let release: () => void;
const released = new Promise<void>((resolve) => (release = resolve));
const begun: string[] = [];
/** The players whose bet hangs, or whose first attempt fails. */
const hanging = new Set<string>();
const failing = new Set<string>();

const scripted = (activities: Activities): Activities => ({
  ...activities,
  async deliver(delivery, end) {
    const { playerId } = delivery.round;
    begun.push(playerId);
    if (hanging.has(playerId)) await released;
    if (failing.has(playerId) && activityInfo().attempt === 1) throw new Error('the worker died');
    return activities.deliver(delivery, end);
  },
});

beforeAll(async () => {
  harness = await startRounds({ answers: {}, workerSlots: { activities: 1 }, around: scripted });
});

afterAll(() => harness?.stop());

/** Starts a round whose caller may give up, and returns its hash. */
async function started(player: Player): Promise<string> {
  player.start().catch(() => undefined);
  const { playerId } = player.session;
  const record = await until(
    () => harness.rounds.collection.findOne({ player: playerId }),
    (found) => found !== null,
  );
  const { client } = harness;
  await until(
    () =>
      client.workflow
        .getHandle(workflowIdOf(record!._id))
        .describe()
        .catch(() => undefined),
    (described) => described !== undefined,
  );
  return record!._id;
}

test('one that no attempt has begun was not sent; one whose attempt has ended without an answer may have been', async () => {
  const [failed, busy, waiting] = [playerOf(harness), playerOf(harness), playerOf(harness)];
  failing.add(failed.session.playerId);
  hanging.add(busy.session.playerId);
  const maybeSent = await started(failed);
  await until(
    () => Promise.resolve(begun),
    (seen) => seen.includes(failed.session.playerId),
  );
  await started(busy);
  await until(
    () => Promise.resolve(begun),
    (seen) => seen.includes(busy.session.playerId),
  );
  const neverBegun = await started(waiting);
  for (const hash of [maybeSent, neverBegun])
    await until(
      () => harness.handle(hash).fetchHistory(),
      ({ events }) =>
        events!.some(({ activityTaskTimedOutEventAttributes }) => activityTaskTimedOutEventAttributes),
      30_000,
    );
  release();
  await Promise.all([maybeSent, neverBegun].map((hash) => finished(harness, hash)));
  expect(await harness.sent(neverBegun)).toEqual([]);
  expect(await harness.sent(maybeSent)).toEqual(['void']);
  for (const hash of [maybeSent, neverBegun])
    expect(await harness.rounds.find(hash)).toMatchObject({ status: 'cancel', attention: [] });
});
