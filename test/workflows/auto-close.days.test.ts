import { stateQuery, type GameroundResult } from '../../src/contracts/gameround';
import { daysOfEachTest, HOUR_MS, MINUTE_MS, type DaysHarness } from '../support/days-harness';

/** A forgotten round over days, on a server that skips the time in which nothing happens (docs/interface#auto-close). */

const AFTER_MS = 48 * HOUR_MS;

let days: DaysHarness;
/** When the provider was asked, in the server's time. */
let asked: { gameround: string; at: number }[];
/** What the provider does at its nth call for a round. */
let provider: (gameround: string, attempt: number) => Promise<void>;

daysOfEachTest((own) => {
  days = own;
  asked = [];
  days.world.autoClose = async ({ gameround }) => {
    asked.push({ gameround, at: await days.env.currentTimeMs() });
    await provider(gameround, asked.length);
  };
});

/** Gaps between attempts, in minutes. */
const gaps = (): number[] =>
  asked.slice(1).map(({ at }, index) => Math.round((at - (asked[index]?.at ?? 0)) / MINUTE_MS));

test('after 48 hours the provider is asked, and the round that it closes leaves nothing behind', async () => {
  provider = async (gameround) => void (await days.end(gameround));
  const openedAt = await days.env.currentTimeMs();
  const gameround = await days.open();
  const handle = days.handle(gameround);
  const result = (await handle.result()) as GameroundResult;
  expect(result).toMatchObject({ gameround, status: 'closed' });
  expect(asked).toHaveLength(1);
  expect(Math.abs((asked[0]?.at ?? 0) - openedAt - AFTER_MS)).toBeLessThan(5 * MINUTE_MS);
  expect(days.records.at(-1)).toMatchObject({ status: 'closed', attention: [] });
  expect(await days.attention(gameround)).toEqual([]);
});

test('a failing provider is asked again after 1 minute, doubling to 1 hour, until the round is closed', async () => {
  provider = async (gameround, attempt) => {
    if (attempt <= 4) throw new Error('the provider answered 500');
    // Attempts 5 to 9 are answered 200 although the round is still open.
    if (attempt === 10) await days.end(gameround);
  };
  const gameround = await days.open();
  await days.handle(gameround).result();
  expect(asked).toHaveLength(10);
  expect(gaps()).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  const { events } = await days.handle(gameround).fetchHistory();
  const attempts = (events ?? []).filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'autoClose',
  );
  expect(attempts).toHaveLength(10);
});

test('past twice its time the round is marked for a person; the mark goes when it is closed', async () => {
  provider = () => Promise.reject(new Error('the provider answered 500'));
  const gameround = await days.open();
  const handle = days.handle(gameround);
  await days.sleep(2 * AFTER_MS - 2 * HOUR_MS);
  expect(asked.length).toBeGreaterThan(40);
  expect(await days.attention(gameround)).toEqual([]);
  await days.sleep(2 * HOUR_MS + 5 * MINUTE_MS);
  expect(await days.attention(gameround)).toEqual(['auto-close-failing']);
  expect((await handle.query(stateQuery)).attention).toEqual(['auto-close-failing']);
  expect(days.records.at(-1)).toMatchObject({ status: 'open', attention: ['auto-close-failing'] });
  const before = asked.length;
  await days.sleep(3 * HOUR_MS);
  expect(asked.length).toBeGreaterThanOrEqual(before + 2);
  await days.end(gameround);
  await handle.result();
  expect(await days.attention(gameround)).toEqual([]);
  expect(days.records.at(-1)).toMatchObject({ status: 'closed', attention: [] });
});

test('a round that is closed early leaves no timer and is never asked for', async () => {
  provider = () => Promise.resolve();
  const gameround = await days.open();
  await days.sleep(HOUR_MS);
  await days.end(gameround);
  const handle = days.handle(gameround);
  await handle.result();
  await days.sleep(3 * AFTER_MS);
  expect(asked).toEqual([]);
  const { events } = await handle.fetchHistory();
  expect((events ?? []).some((event) => event.timerFiredEventAttributes)).toBe(false);
  expect((await handle.describe()).status.name).toBe('COMPLETED');
});
