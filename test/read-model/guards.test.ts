import { randomUUID } from 'node:crypto';
import { snapshotOf } from '../../src/domain/round/replies';
import type { RoundSnapshot } from '../../src/domain/round/types';
import { openDatabase, type Database } from '../../src/read-model/connect';
import type { Guards } from '../../src/contracts/guards';
import { createGuards } from '../../src/read-model/guards';
import { createRounds, ensureRoundIndexes, type Rounds } from '../../src/read-model/rounds';
import { required } from '../support/rounds-harness';
import { opened, start } from '../domain/support';

/* The open-round guard is a part of the round's document (docs/interface#open-round-guard). */

let database: Database;
let rounds: Rounds;
let guards: Guards;

beforeEach(async () => {
  database = openDatabase(required('TEST_MONGODB_URI'), `guards_${randomUUID().slice(0, 8)}`);
  rounds = createRounds(database.db, 'test');
  guards = createGuards(database.db);
  await ensureRoundIndexes(rounds);
});

afterEach(async () => {
  await database.db.dropDatabase();
  await database.client.close();
});

function roundOf(gameround: string, change: Partial<RoundSnapshot> = {}): RoundSnapshot {
  const snapshot = snapshotOf(opened(start()).state);
  return { ...snapshot, ...change, identity: { ...snapshot.identity, gameround } };
}

const ONE = roundOf('one');
const KEY = ONE.identity;

test('of several rounds at the same time one holds the guard, and each is told which', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `round-${index}`);
  const told = await Promise.all(names.map((name) => guards.take(KEY, name)));
  const holders = new Set(told.map((holder) => (holder === 'recorded' ? holder : holder.gameround)));
  expect([...holders]).toEqual([(await guards.holder(KEY))?.gameround]);
});

test.each(['operatorId', 'playerId', 'gameCode', 'mode'] as const)(
  'another %s has a guard of its own',
  async (part) => {
    await guards.take(KEY, 'one');
    expect(await guards.take({ ...KEY, [part]: 'another' }, 'two')).toEqual({
      gameround: 'two',
      confirmed: false,
    });
  },
);

test('a round that only holds the guard has no record', async () => {
  await guards.take(KEY, 'one');
  expect(await rounds.find('one')).toBeUndefined();
  expect(await rounds.recorded('one')).toBeUndefined();
  expect(await rounds.standing('one')).toBeUndefined();
  expect(await rounds.ahead('one', { upTo: 0, also: [] })).toBeUndefined();
});

test('a round with a record is not taken for a new one, also while another round holds the guard', async () => {
  await guards.take(KEY, 'one');
  await rounds.write({ ...ONE, status: 'closed' }, 1);
  expect(await guards.take(KEY, 'one')).toBe('recorded');
  await guards.take(KEY, 'two');
  expect(await guards.take(KEY, 'one')).toBe('recorded');
});

describe('a record', () => {
  beforeEach(() => guards.take(KEY, 'one'));

  test.each<[string, Partial<RoundSnapshot>, string | undefined]>([
    ['of an open round keeps the guard', {}, 'one'],
    ['of a closed round releases it', { status: 'closed' }, undefined],
    ['of a cancelled round releases it', { status: 'cancel' }, undefined],
    ['of a crashed round releases it', { crashed: true }, undefined],
  ])('%s', async (_, change, holder) => {
    await guards.confirm(KEY, 'one', 1);
    await rounds.write(roundOf('one', change), 1);
    expect((await guards.holder(KEY))?.gameround).toBe(holder);
  });

  test('that is written late does not take the guard back from another round', async () => {
    await guards.confirm(KEY, 'one', 1);
    await rounds.write(ONE, 1);
    expect(await guards.free(KEY, { gameround: 'one', confirmed: true })).toBe(true);
    expect(await rounds.write(ONE, 2)).toBe(true);
    expect(await guards.holder(KEY)).toBeUndefined();
    await guards.take(KEY, 'two');
    expect(await rounds.write(ONE, 3)).toBe(true);
    expect(await guards.holder(KEY)).toEqual({ gameround: 'two', confirmed: false });
    expect(await guards.restore(KEY, 'one')).toBe(false);
  });

  test('says that the bet may have been sent', async () => {
    await guards.confirm(KEY, 'one', 5);
    await rounds.write(ONE, 1);
    expect(await guards.confirm(KEY, 'one', 1)).toBe('again');
    expect(await guards.shut(KEY, 'one', false)).toBe(false);
  });
});

test('a holder that was confirmed since it was seen keeps the guard', async () => {
  await guards.take(KEY, 'one');
  const seen = await guards.take(KEY, 'two');
  await guards.confirm(KEY, 'one', 1);
  expect(await guards.free(KEY, seen as { gameround: string; confirmed: boolean })).toBe(false);
  expect(await guards.holder(KEY)).toEqual({ gameround: 'one', confirmed: true });
});

test('a round whose guard was taken away is lost to a confirmation', async () => {
  await guards.take(KEY, 'one');
  expect(await guards.free(KEY, { gameround: 'one', confirmed: false })).toBe(true);
  expect(await guards.confirm(KEY, 'one', 1)).toBe('lost');
  expect(await guards.take(KEY, 'two')).toEqual({ gameround: 'two', confirmed: false });
});

describe('a record that an attempt writes late is not written, if a newer attempt', () => {
  test.each<[string, (attemptAt: number) => Promise<unknown>]>([
    ['has confirmed the guard', (attemptAt) => guards.confirm(KEY, 'one', attemptAt)],
    ['has looked at the round', (attemptAt) => rounds.overtake('one', [], attemptAt)],
  ])('%s', async (_, newer) => {
    await guards.take(KEY, 'one');
    await guards.confirm(KEY, 'one', 1);
    await newer(2);
    const own = { upTo: 0, also: [3] };
    const delivered = { result: { kind: 'accepted' as const }, at: '2026-01-02T03:04:05.000Z' };
    const ended = { attemptAt: 1, delivered };
    expect(await rounds.write({ ...ONE, status: 'closed' }, 3, own, { ended })).toBe(false);
    expect(await rounds.find('one')).toBeUndefined();
    expect(await rounds.write({ ...ONE, status: 'cancel' }, 4, own)).toBe(true);
  });
});

describe('a record whose document is lost with MongoDB', () => {
  test('takes the guard again if its round is open', async () => {
    await rounds.write(ONE, 3);
    expect(await guards.holder(KEY)).toEqual({ gameround: 'one', confirmed: true });
    await rounds.write(roundOf('over', { status: 'closed' }), 3);
    expect(await guards.holder(KEY)).toEqual({ gameround: 'one', confirmed: true });
  });

  test('is written without the guard if another round has it', async () => {
    await guards.take(KEY, 'two');
    expect(await rounds.write(ONE, 3)).toBe(true);
    expect(await guards.holder(KEY)).toEqual({ gameround: 'two', confirmed: false });
    expect(await rounds.write(ONE, 2)).toBe(false);
  });
});

test('a bet that may have been sent is not forgotten with the guard, and its round can take the guard again', async () => {
  await guards.take(KEY, 'one', '{"of":"one"}');
  await guards.confirm(KEY, 'one', 1);
  expect(await guards.free(KEY, { gameround: 'one', confirmed: true })).toBe(true);
  const undecided: unknown[] = [];
  for await (const bet of guards.undecidedBets()) undecided.push(bet);
  expect(undecided).toEqual([{ gameround: 'one', start: '{"of":"one"}' }]);
  expect(await guards.take(KEY, 'one')).toEqual({ gameround: 'one', confirmed: true });
  expect(await guards.confirm(KEY, 'one', 2)).toBe('again');
});

test('rounds that took the guard while its index was missing lose it when the index is made', async () => {
  await rounds.collection.dropIndex('guard');
  await rounds.write(ONE, 1);
  await guards.take(KEY, 'two');
  await guards.take(KEY, 'three');
  await ensureRoundIndexes(rounds);
  expect(await guards.holder(KEY)).toEqual({ gameround: 'one', confirmed: true });
  expect(await guards.confirm(KEY, 'two', 1)).toBe('lost');
});

test('without its index, for instance after the collection was dropped, no bet is confirmed', async () => {
  await rounds.collection.drop();
  await guards.take(KEY, 'one');
  await expect(guards.confirm(KEY, 'one', 1)).rejects.toThrow('hint');
  // The index is made, and the next attempt succeeds.
  expect(await guards.confirm(KEY, 'one', 2)).toBe('first');
});
