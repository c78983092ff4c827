import { createHash, randomUUID } from 'node:crypto';
import { MongoClient, type Db } from 'mongodb';
import { gameSettingsOf } from '../../src/domain/game-settings';
import { createLogger } from '../../src/logging';
import { createSessions, type SessionSeed, type Sessions } from '../../src/sessions';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const seed: SessionSeed = {
  operatorId: 'op1',
  playerId: 'p1',
  gameCode: 'demo-slot',
  providerId: 'gp1',
  mode: 'real',
  currency: 'EUR',
  currencyMultiplier: 1,
  language: 'en',
  device: 'desktop',
  walletMode: 'seamless',
  gameSettings: gameSettingsOf([], 1),
};

let client: MongoClient;
let db: Db;
let now: number;
/** How far the machine's clock is behind what has passed. */
let setBackMs: number;
let sessions: Sessions;
const opened: Sessions[] = [];

function process_(): Sessions {
  const made = createSessions({
    db,
    logger: createLogger({ level: 'silent', process: 'api' }),
    clock: () => now - setBackMs,
    monotonicNow: () => now,
  });
  opened.push(made);
  return made;
}

beforeAll(async () => {
  client = await MongoClient.connect(process.env.TEST_MONGODB_URI!, { writeConcern: { w: 'majority' } });
});
afterAll(() => client.close());

beforeEach(() => {
  now = Date.now();
  setBackMs = 0;
  db = client.db(`sessions-${randomUUID()}`);
  sessions = process_();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((made) => made.close()));
  await db.dropDatabase();
});

const refusedWith = (msg: string) => ({
  refusal: { errorCode: expect.objectContaining({ msg }) as unknown },
});
const settled = async <T>(calls: Promise<T>[]) => {
  const results = await Promise.allSettled(calls);
  return {
    fulfilled: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    rejected: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])),
  };
};

describe('players', () => {
  it('registers one player for many calls at once, and says once that it is new', async () => {
    const players = await Promise.all(Array.from({ length: 20 }, () => sessions.register('op1', 'p1')));
    expect(new Set(players.map(({ internalPlayerId }) => internalPlayerId)).size).toBe(1);
    expect(players.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(players[0]!.internalPlayerId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('keeps equal ids of two operators apart', async () => {
    const one = await sessions.register('op1', 'p1');
    const other = await sessions.register('op2', 'p1');
    expect(other).toMatchObject({ isNew: true });
    expect(other.internalPlayerId).not.toBe(one.internalPlayerId);
  });

  it('adds details to what is known, taking dollar signs as they come', async () => {
    await sessions.register('op1', '$p', { country: 'DE', city: '$city' });
    const again = await sessions.register('op1', '$p', { city: 'Köln' });
    expect(again.isNew).toBe(false);
    expect(await db.collection('players').findOne({})).toMatchObject({
      playerId: '$p',
      details: { country: 'DE', city: 'Köln' },
    });
  });
});

describe('launch tokens', () => {
  it('are 256 random bits, of which only the SHA-256 is kept', async () => {
    const token = await sessions.launch(seed);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const [kept] = await db.collection<{ _id: string }>('launches').find().toArray();
    expect(kept!._id).toBe(createHash('sha256').update(token).digest('hex'));
    expect(JSON.stringify(kept)).not.toContain(token);
  });

  it('connect once: of 50 at once, in two processes, exactly one succeeds', async () => {
    const token = await sessions.launch(seed);
    const other = process_();
    const calls = Array.from({ length: 50 }, (_, at) => (at % 2 ? sessions : other).connect(token));
    const { fulfilled, rejected } = await settled(calls);
    expect(fulfilled).toHaveLength(1);
    expect(rejected).toHaveLength(49);
    rejected.forEach((error) => expect(error).toMatchObject(refusedWith('LAUNCHURLSPENT')));
    expect(fulfilled[0]!.token).not.toBe(token);
    await expect(sessions.resolve(token, { providerId: 'gp1' })).rejects.toMatchObject(
      refusedWith('LAUNCHURLSPENT'),
    );
  });

  it('become the session’s token by calls: 50 at once, in two processes, share one session', async () => {
    const token = await sessions.launch(seed);
    const other = process_();
    const calls = Array.from({ length: 50 }, (_, at) =>
      (at % 2 ? sessions : other).resolve(token, { providerId: 'gp1' }),
    );
    const { fulfilled } = await settled(calls);
    expect(fulfilled).toHaveLength(50);
    expect(new Set(fulfilled.map(({ session }) => session.sessionId)).size).toBe(1);
    expect(fulfilled[0]!.token).toBe(token);
    expect(await db.collection('sessions').countDocuments()).toBe(1);
    await expect(sessions.connect(token)).rejects.toMatchObject(refusedWith('LAUNCHURLSPENT'));
  });

  it('are spent by their own provider’s calls only, and not by refresh or logout', async () => {
    const token = await sessions.launch(seed);
    for (const call of [
      () => sessions.resolve(token, { providerId: 'gp2' }),
      () => sessions.refresh(token),
      () => sessions.logout(token),
    ]) {
      await expect(call()).rejects.toMatchObject(refusedWith('TOKENNOTFOUND'));
    }
    await expect(sessions.connect(token)).resolves.toMatchObject({ session: { playerId: 'p1' } });
    await expect(sessions.resolve(token, { providerId: 'gp2' })).rejects.toMatchObject(
      refusedWith('TOKENNOTFOUND'),
    );
  });

  it('are good for 60 s', async () => {
    const [inTime, late, lateCall] = await Promise.all([1, 2, 3].map(() => sessions.launch(seed)));
    now += MINUTE - 1;
    await sessions.connect(inTime!);
    now += 1;
    await expect(sessions.connect(late!)).rejects.toMatchObject(refusedWith('LAUNCHURLSPENT'));
    await expect(sessions.resolve(lateCall!, { providerId: 'gp1' })).rejects.toMatchObject(
      refusedWith('LAUNCHURLSPENT'),
    );
  });

  it('can be used again when the connect is taken back', async () => {
    const token = await sessions.launch(seed);
    const first = await sessions.connect(token);
    await sessions.undoConnect(token, first);
    await expect(sessions.resolve(first.token)).rejects.toMatchObject(refusedWith('TOKENNOTFOUND'));
    await expect(sessions.connect(token)).resolves.toMatchObject({ session: { expired: false } });
  });

  it('unknown: TOKENNOTFOUND, whatever they look like', async () => {
    for (const token of ['', 'x', 'A'.repeat(43), '$ne', '\u0000'.repeat(43)]) {
      await expect(sessions.connect(token)).rejects.toMatchObject(refusedWith('TOKENNOTFOUND'));
      await expect(sessions.resolve(token)).rejects.toMatchObject(refusedWith('TOKENNOTFOUND'));
    }
  });
});

describe('session tokens', () => {
  const start = async (): Promise<string> => (await sessions.connect(await sessions.launch(seed))).token;

  it('live for an hour since the last use, then for 7 days for what they opened', async () => {
    const token = await start();
    now += HOUR;
    expect((await sessions.resolve(token)).session.expired).toBe(false);
    now += HOUR;
    expect((await sessions.resolve(token)).session.expired).toBe(false);
    now += HOUR + 1;
    expect((await sessions.resolve(token)).session.expired).toBe(true);
    await expect(sessions.refresh(token)).rejects.toMatchObject(refusedWith('TOKENEXPIRED'));
    now += 7 * DAY - 1;
    expect((await sessions.resolve(token)).session.expired).toBe(true);
    now += 2;
    await expect(sessions.resolve(token)).rejects.toMatchObject(refusedWith('TOKENNOTFOUND'));
  });

  it('are renewed by refresh and ended by logout, also for another process', async () => {
    const token = await start();
    const other = process_();
    await other.resolve(token);
    now += 50 * MINUTE;
    expect((await sessions.refresh(token)).token).toBe(token);
    await sessions.logout(token);
    await sessions.logout(token);
    expect((await sessions.resolve(token)).session.expired).toBe(true);
    expect((await other.resolve(token, { fresh: true })).session.expired).toBe(true);
  });

  it.each([
    ['asked for as it is now', 1, true],
    ['ten seconds old', 10_000, false],
  ])('are read again when %s, also when the clock was set back', async (_what, passedMs, fresh) => {
    const token = await start();
    const other = process_();
    await other.resolve(token);
    now += passedMs;
    setBackMs = MINUTE;
    await sessions.logout(token);
    setBackMs = MINUTE - 1;
    expect((await other.resolve(token, { fresh })).session.expired).toBe(true);
  });

  it('keep the newest balance, also one that came after the clock was set back', async () => {
    const token = await start();
    const { sessionId } = (await sessions.resolve(token)).session;
    const balanceOf = (amount: number) => ({
      balances: [{ type: 'real' as const, currency: 'EUR', amount }],
    });
    sessions.keepBalance(sessionId, balanceOf(1), true);
    await sessions.close();
    setBackMs = MINUTE;
    sessions.keepBalance(sessionId, balanceOf(2), true);
    now += 10_000;
    expect((await sessions.resolve(token)).session.balance).toEqual(balanceOf(2));
    await sessions.close();
    expect((await process_().resolve(token)).session.balance).toEqual(balanceOf(2));
  });

  it('write their use at most once a minute', async () => {
    const token = await start();
    const lastUsed = async () =>
      (await db.collection<{ lastUsed: Date }>('sessions').findOne({}))!.lastUsed.getTime();
    const begin = await lastUsed();
    now += 59_000;
    await sessions.resolve(token);
    await sessions.close();
    expect(await lastUsed()).toBe(begin);
    now += 1_000;
    await sessions.resolve(token);
    await sessions.close();
    expect(await lastUsed()).toBe(now);
  });

  it('remember the last balance, and tell it to other processes', async () => {
    const { session, token } = await sessions.connect(await sessions.launch(seed));
    const balance = { balances: [{ type: 'real', amount: 1234, currency: 'EUR' }] };
    sessions.keepBalance(session.sessionId, balance, true);
    expect((await sessions.resolve(token)).session.balance).toEqual(balance);
    await sessions.close();
    expect((await process_().resolve(token)).session.balance).toEqual(balance);
  });

  it('are nobody else’s: another provider’s call finds nothing', async () => {
    const token = await start();
    await expect(sessions.resolve(token, { providerId: 'gp2' })).rejects.toMatchObject(
      refusedWith('TOKENNOTFOUND'),
    );
    await expect(sessions.resolve(token, { providerId: 'gp1' })).resolves.toBeDefined();
  });

  it('serve one round when they were made for it', async () => {
    const { token } = await sessions.open({ ...seed, onlyGameround: 'r1' });
    expect((await process_().resolve(token)).session).toMatchObject({ onlyGameround: 'r1', expired: false });
  });

  it('have TTL indexes', async () => {
    await sessions.prepare();
    for (const name of ['sessions', 'launches']) {
      const indexes = await db.collection(name).indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { deleteAt: 1 }, expireAfterSeconds: 0 }) as unknown,
      );
    }
  });
});

describe('with MongoDB down', () => {
  it('cached sessions go on, others are told 503', async () => {
    const own = await MongoClient.connect(process.env.TEST_MONGODB_URI!, { serverSelectionTimeoutMS: 300 });
    const cut = createSessions({
      db: own.db(db.databaseName),
      logger: createLogger({ level: 'silent', process: 'api' }),
      clock: () => now,
      monotonicNow: () => now,
    });
    const { token } = await cut.connect(await cut.launch(seed));
    const unknown = await sessions.launch(seed);
    await own.close();
    now += 5 * MINUTE;
    const began = Date.now();
    expect((await cut.resolve(token, { fresh: true })).session.expired).toBe(false);
    expect(Date.now() - began).toBeLessThan(1_000);
    await expect(cut.resolve(unknown)).rejects.toMatchObject(refusedWith('SERVICEUNAVAILABLE'));
    await expect(cut.connect(unknown)).rejects.toMatchObject(refusedWith('SERVICEUNAVAILABLE'));
    await expect(cut.register('op1', 'p9')).rejects.toMatchObject(refusedWith('SERVICEUNAVAILABLE'));
    await cut.close();
  });
});
