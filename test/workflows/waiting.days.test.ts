import { ApplicationFailure } from '@temporalio/common';
import { BET_UNCONFIRMED } from '../../src/contracts/activities';
import { daysOfEachTest, HOUR_MS, MINUTE_MS, type DaysHarness } from '../support/days-harness';

/** A round that waits for something longer than it should says so, on its workflow and its record (docs/interface#waiting-marks). */

let days: DaysHarness;

daysOfEachTest((own) => {
  days = own;
});

const marksOf = async (gameround: string): Promise<[string[], readonly string[] | undefined]> => [
  await days.attention(gameround),
  days.records.at(-1)?.attention,
];

test('a report that the operator does not take is marked after a minute, and given up after a day', async () => {
  let tried = 0;
  days.world.report = () => Promise.reject(new Error(`the operator answered 500, ${(tried += 1)}`));
  const gameround = await days.open({ gameRoundReport: true });
  await days.end(gameround);
  await days.sleep(MINUTE_MS / 2);
  expect(await marksOf(gameround)).toEqual([[], []]);
  await days.sleep(2 * MINUTE_MS);
  expect(await marksOf(gameround)).toEqual([['report-pending'], ['report-pending']]);
  await days.sleep(23 * HOUR_MS);
  expect((await days.handle(gameround).describe()).status.name).toBe('RUNNING');
  await days.handle(gameround).result();
  // 2 s, doubling, at most 10 minutes apart: about 150 tries in a day.
  expect(tried).toBeGreaterThan(140);
  expect(await marksOf(gameround)).toEqual([[], []]);
});

test("the provider's result is waited for, marked, and comes into the record and before the report", async () => {
  let silent = true;
  const done: string[] = [];
  days.world.fetchResult = () =>
    silent ? Promise.reject(new Error('the provider answered 500')) : Promise.resolve({ reels: '1,2,3' });
  days.world.report = ({ dataStored }) => Promise.resolve(void done.push(dataStored?.reels ?? 'none'));
  const gameround = await days.open({ gameRoundReport: true, resultCallback: true });
  await days.end(gameround);
  await days.sleep(2 * MINUTE_MS);
  expect(await marksOf(gameround)).toEqual([['result-pending'], ['result-pending']]);
  expect(done).toEqual([]);
  silent = false;
  await days.handle(gameround).result();
  expect(done).toEqual(['1,2,3']);
  expect(days.records.at(-1)).toMatchObject({
    status: 'closed',
    attention: [],
    dataStored: { reels: '1,2,3' },
  });
  expect(await days.attention(gameround)).toEqual([]);
});

test('a provider that tells nothing for an hour holds up the report no longer', async () => {
  const done: string[] = [];
  days.world.fetchResult = () => Promise.reject(new Error('the provider answered 500'));
  days.world.report = ({ dataStored }) => Promise.resolve(void done.push(dataStored?.reels ?? 'none'));
  const gameround = await days.open({ gameRoundReport: true, resultCallback: true });
  await days.end(gameround);
  await days.sleep(HOUR_MS - 5 * MINUTE_MS);
  expect(done).toEqual([]);
  await days.handle(gameround).result();
  expect(done).toEqual(['none']);
  expect(await marksOf(gameround)).toEqual([[], []]);
});

test('a bet that waits for the database to say what became of it is marked, and the wait leaves no events', async () => {
  let isDown = true;
  days.world.deliver = ({ bet }) => {
    if (!isDown) return Promise.resolve({ kind: 'declined', unauthorised: true, processed: false });
    const failure = { message: 'the database is down', type: BET_UNCONFIRMED, nonRetryable: !bet?.isOver };
    return Promise.reject(ApplicationFailure.create(failure));
  };
  const gameround = await days.open();
  const events = async (): Promise<number> => (await days.handle(gameround).fetchHistory()).events!.length;
  await days.sleep(2 * MINUTE_MS);
  expect(await days.attention(gameround)).toEqual(['debit-unconfirmed']);
  const before = await events();
  await days.sleep(2 * HOUR_MS);
  expect(await events()).toBe(before);
  isDown = false;
  await days.handle(gameround).result();
  expect(await days.attention(gameround)).toEqual([]);
  expect(days.records.at(-1)).toMatchObject({ status: 'cancel', attention: [] });
});
