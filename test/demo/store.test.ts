import { randomUUID } from 'node:crypto';
import { BSON, MongoClient, type Db } from 'mongodb';
import { createDemoRounds, createDemoStore, type DemoRounds } from '../../src/demo';
import { gameroundHash } from '../../src/domain/hashes';
import { openDatabase } from '../../src/read-model/connect';
import { player, settings, refusalOf, SESSION } from './support';

const MINUTE = 60_000;

let client: MongoClient;
let db: Db;
let now: number;
let rounds: DemoRounds;
let me: ReturnType<typeof player>;

/** As another process of the API has them: nothing in common but the database. */
async function process_(): Promise<DemoRounds> {
  const store = createDemoStore(db, { clock: () => now });
  await store.prepare();
  return createDemoRounds({
    store,
    settingsFor: () => Promise.resolve(settings({ followUpDebits: true })),
    now: () => now,
  });
}

beforeEach(async () => {
  now = Date.now();
  ({ client, db } = openDatabase(process.env.TEST_MONGODB_URI!, `demo-${randomUUID()}`));
  rounds = await process_();
  me = player(rounds);
});
afterEach(async () => {
  await db.dropDatabase();
  await client.close();
});

const documentOf = (sessionId = SESSION.sessionId) =>
  db.collection<{ _id: string; version: number; lastUsed: Date; names: string[] }>('demosessions').findOne({
    _id: sessionId,
  });

describe('kept with the session', () => {
  it('in demosessions and nowhere else: no round record, no guard, no delivery mark', async () => {
    const round = (await me.start({ win: 10 })).gameRoundInfo.hash;
    await me.addWin(round, 40);
    await me.end(round);
    await me.void((await me.start()).gameRoundInfo.hash);
    const collections = await db.listCollections().toArray();
    expect(collections.map(({ name }) => name)).toEqual(['demosessions']);
    expect(await documentOf()).toMatchObject({ version: 5 });
  });

  it('goes on in another process, and answers repeats there', async () => {
    const first = await me.start({ roundId: 'r1' });
    const other = player(await process_());
    expect(await other.start({ roundId: 'r1' })).toEqual(first);
    await other.addWin(first.gameRoundInfo.hash, 30);
    expect(await me.end(first.gameRoundInfo.hash)).toMatchObject({ amountCredited: 30 });
    expect(await other.balance()).toBe(930);
  });

  it('holds free-form names that a database might stumble over', async () => {
    const gameRound = (await me.start()).gameRoundInfo.hash;
    const odd = JSON.parse('{"a.b":"1","$set":"2","__proto__":"3","":"4"}') as Record<string, string>;
    await rounds.commands.addSpinCounterGameState({
      ...{ session: SESSION, requestId: 'r', gameRound, counterType: '$where.x', awarded: 2, used: 1 },
      gameStateResult: odd,
    });
    const open = await player(await process_()).open();
    expect(Object.entries(open!.gameState[1]!.result.info)).toEqual(
      expect.arrayContaining([...Object.entries(odd), ['counterType', '$where.x']]),
    );
    expect(open?.spinCounters).toEqual({ '$where.x': { awarded: 2, used: 1 } });
  });

  it('is gone an hour after its last use: MongoDB forgets it, and before that nobody finds it', async () => {
    const round = (await me.start()).gameRoundInfo.hash;
    const indexes = await db.collection('demosessions').indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { lastUsed: 1 }, expireAfterSeconds: 3_600 }),
    );
    now += 60 * MINUTE;
    expect(await me.open()).toBeUndefined();
    expect(await rounds.commands.describeRound(round)).toBeUndefined();
    expect(await refusalOf(me.end(round))).toBe('404 2001 GAMEROUNDNOTFOUND');
    expect(await me.balance()).toBe(1_000);
    expect(await me.start({ stake: 300 })).toMatchObject({ gameRoundInfo: { status: 'open' } });
    expect(await me.balance()).toBe(700);
  });

  it('reading it is a use, written at most once a minute', async () => {
    await me.start();
    const startedAt = now;
    now += 59_000;
    await me.balance();
    expect((await documentOf())?.lastUsed.getTime()).toBe(startedAt);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      now += 50 * MINUTE;
      expect((await me.open())?.status).toBe('open');
      expect((await documentOf())?.lastUsed.getTime()).toBe(now);
    }
  });

  it('finds a round by its hash, or by what its name leads to, in the newest session that has it', async () => {
    const mine = (await me.start({ roundId: 'r1' })).gameRoundInfo.hash;
    const alias = gameroundHash('op1', 'p1', 'slot', 'round:r1');
    const { commands } = await process_();
    expect((await commands.describeRound(mine))?.identity.gameround).toBe(mine);
    expect((await commands.describeRound(alias))?.identity.gameround).toBe(mine);
    expect(await commands.describeRound('unknown')).toBeUndefined();
    now += 1;
    const theirs = (await player(rounds, { ...SESSION, sessionId: 's2' }).start({ roundId: 'r1' }))
      .gameRoundInfo.hash;
    expect((await commands.describeRound(alias))?.identity.gameround).toBe(theirs);
    expect((await commands.describeRound(alias, SESSION))?.identity.gameround).toBe(mine);
    const plan = JSON.stringify(await db.collection('demosessions').find({ names: alias }).explain());
    expect(plan).toContain('"indexName":"names"');
  });

  it('stays bounded: the last 20 rounds that are over, without their answers', async () => {
    const hashes: string[] = [];
    for (let played = 0; played < 30; played += 1) {
      hashes.push((await me.start({ stake: 1, win: 1, endGame: true })).gameRoundInfo.hash);
    }
    expect((await documentOf())?.names).toHaveLength(40);
    expect(BSON.calculateObjectSize((await documentOf())!)).toBeLessThan(60_000);
    expect(await rounds.commands.describeRound(hashes[9]!)).toBeUndefined();
    expect((await rounds.commands.describeRound(hashes[10]!))?.status).toBe('closed');
    expect(await me.balance()).toBe(1_000);
  });

  it('stays bounded with rounds as heavy as they may be', async () => {
    const text = 'x'.repeat(16_000);
    for (let played = 0; played < 6; played += 1) {
      const gameRound = (await me.start({ closeOpenGame: true, stake: 1 })).gameRoundInfo.hash;
      for (let win = 0; win < 31; win += 1) {
        await rounds.commands.addWin({
          ...{ session: SESSION, requestId: `${played}-${win}`, gameRound, collect: false },
          rngResult: { winAmount: 0, betData: { text } },
        });
      }
    }
    expect(BSON.calculateObjectSize((await documentOf())!)).toBeLessThan(4_000_000);
    expect((await me.open())?.gameState).toHaveLength(32);
  });
});

describe('at once', () => {
  const settled = async <T>(calls: Promise<T>[]): Promise<T[]> => Promise.all(calls);

  it('the same start, 20 at once in two processes: one debit, every caller the same round', async () => {
    const players = [me, player(await process_())];
    const replies = await settled(
      Array.from({ length: 20 }, (_, index) => players[index % 2]!.start({ roundId: 'r1', stake: 100 })),
    );
    expect(new Set(replies.map(({ gameRoundInfo }) => gameRoundInfo.hash)).size).toBe(1);
    expect(replies.every(({ refusal }) => refusal === undefined)).toBe(true);
    expect(await me.balance()).toBe(900);
    expect((await me.open())?.transactions).toHaveLength(1);
  });

  it('different starts, 10 at once: one opens, the others are told which one is open', async () => {
    const players = [me, player(await process_())];
    const replies = await settled(Array.from({ length: 10 }, (_, index) => players[index % 2]!.start()));
    const opened = replies.filter(({ refusal }) => refusal === undefined);
    expect(opened).toHaveLength(1);
    const others = replies.filter(({ refusal }) => refusal?.errorCode.id === 12);
    expect(others).toHaveLength(9);
    expect(new Set(others.map(({ gameRoundInfo }) => gameRoundInfo.hash))).toEqual(
      new Set([opened[0]!.gameRoundInfo.hash]),
    );
    expect(await me.balance()).toBe(900);
  });

  it('two uses of one spin: only one is accepted', async () => {
    const other = player(await process_());
    for (let run = 0; run < 5; run += 1) {
      const round = (await me.start({ closeOpenGame: true, stake: 1 })).gameRoundInfo.hash;
      await me.spins(round, 1, 0);
      const refusals = await settled([me.spins(round, 0, 1), other.spins(round, 0, 1)].map(refusalOf));
      expect(refusals.sort()).toEqual(['400 2009 SPINCOUNTEREXHAUSTED', 'not refused']);
      expect((await me.open())?.spinCounters.customspin).toEqual({ awarded: 1, used: 1 });
    }
  });

  it('20 endGameRound and addWin with collect: what was won is credited once', async () => {
    const players = [me, player(await process_())];
    const round = (await me.start({ stake: 100 })).gameRoundInfo.hash;
    await me.addWin(round, 50);
    const replies = await settled(
      Array.from({ length: 20 }, (_, index) => {
        const by = players[index % 2]!;
        return index % 4 < 2 ? by.end(round) : by.addWin(round, 1, true);
      }),
    );
    const credited = replies.reduce((sum, { amountCredited }) => sum + amountCredited, 0);
    expect([50, 51]).toContain(credited);
    expect(await me.balance()).toBe(900 + credited);
    expect(replies.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
  });

  it('wins from two processes: none is lost', async () => {
    const players = [me, player(await process_())];
    const round = (await me.start()).gameRoundInfo.hash;
    await settled(Array.from({ length: 40 }, (_, index) => players[index % 2]!.addWin(round, 1)));
    expect((await me.open())?.amountToCollect).toBe(40);
  });

  it('too many at once in one session: 503, and the others are served', async () => {
    const round = (await me.start()).gameRoundInfo.hash;
    const refusals = await settled(Array.from({ length: 130 }, () => refusalOf(me.addWin(round, 1))));
    const served = refusals.filter((refusal) => refusal === 'not refused').length;
    expect(served).toBeGreaterThanOrEqual(100);
    expect(new Set(refusals)).toEqual(new Set(['not refused', '503 3001 OPERATIONBEINGPROCESSED']));
    expect((await me.open())?.amountToCollect).toBe(served);
  });
});

it('with MongoDB down: 503 SERVICEUNAVAILABLE', async () => {
  const gone = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
  const store = createDemoStore(gone.db('none'));
  const cut = createDemoRounds({ store, settingsFor: () => Promise.resolve(settings()) });
  expect(await refusalOf(player(cut).start())).toBe('503 3002 SERVICEUNAVAILABLE');
  await expect(cut.balance(SESSION)).rejects.toMatchObject({ refusal: { status: 503 } });
  await expect(cut.commands.describeRound('some')).rejects.toMatchObject({ refusal: { status: 503 } });
  await gone.close();
});
