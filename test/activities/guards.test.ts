import { randomUUID } from 'node:crypto';
import { MongoOperationTimeoutError } from 'mongodb';
import { Link } from '../../chaos/proxy';
import { openDatabase, type Database } from '../../src/read-model/connect';
import type { Guards } from '../../src/contracts/guards';
import { createGuards } from '../../src/read-model/guards';
import { required } from '../support/rounds-harness';

/* A database that takes what it is told and answers nothing: whoever asks for a guard is told so while there is time. */

const KEY = { operatorId: 'op1', playerId: 'p1', gameCode: 'g1', mode: 'real' };

let link: Link;
let database: Database;
let guards: Guards;

beforeAll(async () => {
  const { port } = new URL(required('TEST_MONGODB_URI').replace('mongodb:', 'http:'));
  link = await Link.open('MongoDB', () => ({ port: Number(port) }));
  const uri = `mongodb://127.0.0.1:${link.port}/?directConnection=true`;
  database = openDatabase(uri, `guards_${randomUUID().slice(0, 8)}`);
  guards = createGuards(database.db);
  await guards.take(KEY, 'round');
});

afterAll(async () => {
  link.mendAll();
  await database.db.dropDatabase().catch(() => undefined);
  await database.client.close();
  await link.close();
});

test('nobody waits for it longer than the guard’s own time', async () => {
  link.break({ kind: 'black hole' });
  const holder = { gameround: 'round', confirmed: false };
  const asked = await Promise.allSettled([
    guards.take(KEY, 'other'),
    guards.free(KEY, holder),
    guards.restore(KEY, 'round'),
    guards.confirm(KEY, 'round', 1),
    guards.shut(KEY, 'round', true),
    guards.holder(KEY),
  ]);
  const errors = asked.map((call) => (call.status === 'rejected' ? (call.reason as Error).name : 'answered'));
  expect(errors).toEqual(errors.map(() => MongoOperationTimeoutError.name));
});
