import { randomUUID } from 'node:crypto';
import { BSON, MongoClient, type Db } from 'mongodb';
import { RefusedError } from '../../src/domain/errors';
import { openDatabase } from '../../src/read-model/connect';
import { createRng, type Draw } from '../../src/rng';
import { createDrawLog, type DrawLog } from '../../src/rng/draw-log';

let client: MongoClient;
let db: Db;
let log: DrawLog;

beforeAll(() => {
  const database = openDatabase(process.env.TEST_MONGODB_URI!, `rng-${randomUUID()}`);
  client = database.client;
  db = database.db;
  log = createDrawLog(db);
});
beforeEach(() => log.prepare());
afterEach(() => db.dropDatabase());
afterAll(() => client.close());

const session = {
  sessionId: 's1',
  operatorId: 'op1',
  playerId: 'p1',
  gameCode: 'slot',
  providerId: 'gp1',
  mode: 'real',
} as const;

function draw(over: Partial<Draw> = {}): Draw {
  return {
    rngRequestId: randomUUID(),
    at: Date.parse('2026-03-01T10:00:00Z'),
    rngEndPoint: 'getDoubles',
    rngPayload: { count: 2, min: 0, max: 1 },
    values: [0.25, 1 - 2 ** -53],
    requestId: 'request-1',
    ...session,
    ...over,
  };
}

it('gives back every value to the last bit', async () => {
  const written = draw({ values: [2 ** -53, 1 - 2 ** -53, 0, -0.1] });
  await log.write(written);
  expect(await log.find(written.rngRequestId)).toEqual(written);
  expect(await log.find('unknown')).toBeUndefined();
});

it('never overwrites a draw', async () => {
  const first = draw();
  await log.write(first);
  await expect(log.write({ ...first, values: [0] })).rejects.toThrow();
  expect(await log.find(first.rngRequestId)).toEqual(first);
});

it('holds the values of a call under the id that left', async () => {
  const rng = createRng({ log: (drawn) => log.write(drawn) });
  const answer = await rng.getRandomResult({
    session,
    requestId: 'request-1',
    rngEndPoint: 'getShuffle',
    rngPayload: { count: 52, min: 1, max: 52 },
  });
  expect((await log.find(answer.rngRequestId))?.values).toEqual(answer.values);
});

it('stays small for the largest draw', async () => {
  const rng = createRng({ log: (drawn) => log.write(drawn) });
  const { rngRequestId } = await rng.getRandomResult({
    session,
    requestId: 'r'.repeat(128),
    rngEndPoint: 'getDoubles',
    rngPayload: { count: 10_000, min: 0, max: 1 },
  });
  const document = await db.collection<{ _id: string }>('rngdraws').findOne({ _id: rngRequestId });
  expect(BSON.calculateObjectSize(document!)).toBeLessThan(200_000);
});

it('lists a game’s or a player’s draws of a span of time, newest first, by an index', async () => {
  const at = (minute: number) => Date.parse(`2026-03-01T10:0${minute}:00Z`);
  const kept = [draw({ at: at(1) }), draw({ at: at(2) }), draw({ at: at(3) })];
  const others = [draw({ at: at(2), gameCode: 'other', playerId: 'p2' }), draw({ at: at(5) })];
  await Promise.all([...kept, ...others].map((one) => log.write(one)));
  const span = { from: new Date(at(1)), to: new Date(at(5)) };
  const newestFirst = [...kept].reverse();
  expect(await log.list({ gameCode: 'slot' }, span)).toEqual(newestFirst);
  expect(await log.list({ operatorId: 'op1', playerId: 'p1' }, span, 2)).toEqual(newestFirst.slice(0, 2));
  const plan = JSON.stringify(
    await db
      .collection('rngdraws')
      .find({ gameCode: 'slot', at: { $gte: span.from } })
      .sort({ at: -1 })
      .explain(),
  );
  expect(plan).toContain('"indexName":"game"');
  expect(plan).not.toContain('COLLSCAN');
});

it('with MongoDB down, no value leaves: 503 SERVICEUNAVAILABLE', async () => {
  const gone = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
  const rng = createRng({ log: (drawn) => createDrawLog(gone.db('none')).write(drawn) });
  const call = rng.getRandomResult({
    session,
    requestId: 'request-1',
    rngEndPoint: 'getDoubles',
    rngPayload: { count: 1, min: 0, max: 1 },
  });
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RefusedError);
  expect((error as RefusedError).refusal).toMatchObject({
    status: 503,
    errorCode: { msg: 'SERVICEUNAVAILABLE' },
  });
  await gone.close();
});
