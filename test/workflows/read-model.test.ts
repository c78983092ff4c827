import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { stateQuery } from '../../src/contracts/gameround';
import type { RoundSnapshot } from '../../src/domain/round/types';
import { findBinary } from '../../stack/binaries';
import { startMongod, type MongoServer } from '../../stack/mongod';
import { freePorts } from '../../stack/ports';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** The record follows the round, never back, and never holds up its money (docs/interface#mongodb-down-round). */

let dir: string;
let port: number;
let mongod: MongoServer;
let harness: RoundsHarness;
let player: Player;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gameround-read-model-'));
  [port = 0] = await freePorts(1);
  mongod = await startOwnMongod();
  harness = await startRounds({ mongodbUri: mongod.uri });
});

beforeEach(() => {
  player = playerOf(harness);
});

afterAll(async () => {
  await harness?.stop();
  await mongod?.stop();
  await rm(dir, { recursive: true, force: true });
});

/** A server that only this file uses: stopping it hurts nobody. */
async function startOwnMongod(): Promise<MongoServer> {
  return startMongod({ binary: await findBinary('mongod'), port, dbPath: join(dir, 'db'), logDir: dir });
}

/** Whatever happens meanwhile, the next test finds it running again. */
async function whileDown(run: () => Promise<void>): Promise<void> {
  process.kill(mongod.pid, 'SIGKILL');
  await mongod.child.exited;
  try {
    await run();
  } finally {
    mongod = await startOwnMongod();
  }
}

async function marked(hash: string, marks: string[]): Promise<void> {
  await until(
    () => harness.attention(hash),
    (seen) => seen.join() === marks.join(),
  );
}

function stateOf(hash: string): Promise<{ status: string; attention: string[]; amountToCollect: number }> {
  return harness.handle(hash).query(stateQuery);
}

describe('versions', () => {
  async function snapshot(): Promise<RoundSnapshot> {
    const hash = await player.open();
    const found = await harness.rounds.find(hash);
    if (found === undefined) throw new Error('no record');
    return { ...found, identity: { ...found.identity, gameround: randomUUID() } };
  }

  test('a newer version replaces an older one; a late or repeated one changes nothing', async () => {
    const open = await snapshot();
    const { gameround } = open.identity;
    const closed: RoundSnapshot = { ...open, status: 'closed' };
    await harness.rounds.write(open, 10);
    await harness.rounds.write(closed, 12);
    await harness.rounds.write({ ...open, stake: 1 }, 11);
    await harness.rounds.write({ ...open, stake: 2 }, 12);
    await harness.rounds.write(open, 10);
    expect(await harness.rounds.find(gameround)).toMatchObject({ status: 'closed', stake: STAKE });
    expect(await harness.rounds.collection.countDocuments({ _id: gameround })).toBe(1);
  });

  test('written in any order at once, the newest stays', async () => {
    const base = await snapshot();
    const versions = Array.from({ length: 30 }, (_, index) => ((index * 7) % 30) + 1);
    await Promise.all(versions.map((version) => harness.rounds.write({ ...base, stake: version }, version)));
    expect(await harness.rounds.find(base.identity.gameround)).toMatchObject({ stake: 30 });
  });

  test('every projection of a round has a higher version than the one before', async () => {
    const hash = await player.open();
    const versions: number[] = [];
    for (let step = 0; step < 5; step += 1) {
      versions.push((await harness.rounds.collection.findOne({ _id: hash }))?.version ?? 0);
      await player.win(hash, { winAmount: 1 });
      await until(
        () => harness.rounds.find(hash),
        (found) => found?.amountToCollect === step + 1,
      );
    }
    expect(versions).toEqual([...new Set(versions)].sort((left, right) => left - right));
  });
});

describe('a long round', () => {
  const WINS = 24;

  async function longRound(): Promise<string> {
    const hash = await player.open();
    for (let step = 0; step < WINS; step += 1) await player.win(hash, { winAmount: 1 });
    return hash;
  }

  test('goes to its record without what that holds, and the record is whole', async () => {
    const hash = await longRound();
    const { events } = await harness.handle(hash).fetchHistory();
    const projected = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === 'project' ? (scheduled.input?.payloads?.slice(0, 1) ?? []) : [],
    );
    const { data } = projected.at(-1) ?? {};
    const last = JSON.parse(Buffer.from(data ?? []).toString()) as { snapshot: RoundSnapshot; known: object };
    // The bet is an entry as well.
    expect(last.known).toMatchObject({ transactions: 0, gameState: WINS });
    expect(last.snapshot.gameState).toHaveLength(1);
    const { gameState } = (await harness.rounds.find(hash)) ?? {};
    expect(gameState).toEqual((await harness.handle(hash).query(stateQuery)).gameState);
    expect(gameState).toHaveLength(WINS + 1);
  });

  test('whose record is gone gets a whole one', async () => {
    const hash = await longRound();
    await harness.rounds.collection.deleteOne({ _id: hash });
    expect(await player.win(hash, { winAmount: 5 })).toMatchObject({ amountToCollect: WINS + 5 });
    const { gameState } = (await harness.rounds.find(hash)) ?? {};
    expect(gameState).toHaveLength(WINS + 2);
    expect(await harness.attention(hash)).toEqual([]);
  });
});

test('the record has every field of the operator gameround record', async () => {
  const { gameRoundInfo } = await player.start({ roundId: 'ext', endGame: true, winAmount: 20 });
  await finished(harness, gameRoundInfo.hash);
  const { playerId } = player.session;
  expect(await harness.rounds.collection.findOne({ hash: gameRoundInfo.hash })).toMatchObject({
    hash: gameRoundInfo.hash,
    player: playerId,
    mode: 'real',
    game: 'demo-slot',
    operator: 'op1',
    status: 'closed',
    language: 'en',
    currency: 'EUR',
    environment: 'test',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    totalBetAmount: STAKE,
    totalWinAmount: 20,
    transactions: [{ type: 'debit', isFirstDebit: true }, { type: 'credit', amount: 20 }, { type: 'end' }],
    externalGameProviderRoundId: 'ext',
    providerId: 'gp1',
  });
});

/** From here on MongoDB dies under open rounds; each test leaves it running again. */
describe('MongoDB down in mid-round', () => {
  test('the open round is played to its end, marked, and the record catches up', async () => {
    const hash = await player.open({ roundId: 'r' });
    const untouched = await playerOf(harness).open();
    await whileDown(async () => {
      expect(await player.win(hash, { winAmount: 80 })).toMatchObject({ amountToCollect: 80 });
      expect(await player.collect(hash, 30)).toMatchObject({ amountCredited: 30, amountToCollect: 50 });
      await marked(hash, ['projection-pending']);
      expect(await player.end(hash)).toMatchObject({
        amountCredited: 50,
        gameRoundInfo: { status: 'closed' },
      });
      expect(await harness.ledger(hash)).toMatchObject({ status: 'closed', net: 80 - STAKE });
      // What the round knows is told although there is no record of it.
      expect(await stateOf(hash)).toMatchObject({ status: 'closed', attention: ['projection-pending'] });
      expect(await refused(player.end(hash))).toBe('400 GAMEROUNDNOTACTIVE');
      expect(await refused(playerOf(harness).end(hash))).toBe('404 GAMEROUNDNOTFOUND');
    });
    await finished(harness, hash);
    expect(await agreedBooks(harness, hash)).toMatchObject({ record: { status: 'closed', attention: [] } });
    expect(await harness.attention(hash)).toEqual([]);
    expect(await harness.attention(untouched)).toEqual([]);
    expect(await player.start({ roundId: 'next' })).toMatchObject({ gameRoundInfo: { status: 'open' } });
  });

  test('nothing starts, nothing is sent, and afterwards the same call starts the round', async () => {
    const open = playerOf(harness);
    const first = await open.start({ roundId: 'r' });
    await whileDown(async () => {
      expect(await refused(player.start({ roundId: 'r' }))).toBe('503 SERVICEUNAVAILABLE');
      expect(await harness.callsOfPlayer(player.session.playerId)).toEqual([]);
      // A repeat of a start whose round runs is answered by the round itself.
      expect(await open.start({ roundId: 'r' })).toEqual(first);
    });
    const reply = await player.start({ roundId: 'r' });
    expect(reply).toMatchObject({ gameRoundInfo: { status: 'open' } });
    expect(await harness.sent(reply.gameRoundInfo.hash)).toEqual(['debit']);
  });

  test('a credit that is being retried meanwhile is paid, and both are marked', async () => {
    const hash = await player.open({ winAmount: 70 });
    const { playerId } = player.session;
    await harness.fault({ fault: 'status', status: 500, times: 2, match: { type: 'credit', playerId } });
    await whileDown(async () => {
      const ending = player.end(hash);
      await until(
        () => harness.attention(hash),
        (marks) => marks.includes('credit-pending'),
      );
      expect(await ending).toMatchObject({ amountCredited: 70, gameRoundInfo: { status: 'closed' } });
      await marked(hash, ['projection-pending']);
    });
    await finished(harness, hash);
    expect(await agreedBooks(harness, hash)).toMatchObject({ record: { status: 'closed', attention: [] } });
  });

  test('a server that hangs instead of dying does not hold up money', async () => {
    const hash = await player.open({ winAmount: 25 });
    process.kill(mongod.pid, 'SIGSTOP');
    try {
      await harness.handle(hash).signal('end', {});
      await until(
        () => stateOf(hash),
        ({ status }) => status === 'closed',
      );
      expect(await harness.ledger(hash)).toMatchObject({ status: 'closed', net: 25 - STAKE });
    } finally {
      process.kill(mongod.pid, 'SIGCONT');
    }
    await finished(harness, hash);
    expect(await agreedBooks(harness, hash)).toMatchObject({ record: { status: 'closed', attention: [] } });
  });
});
