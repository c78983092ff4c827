import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { credit, debit, end, type Transaction, voidOf, WalletPeer } from '../sandbox/wallet-peer';
import { readmeWallet } from './readme';

/* The wallet of sdk/README.md, as it stands there, by the rules of docs/interface#do-transactions. */

const SECRET = 'sandbox-only-operator-secret-op1';

let server: Server;
let wallet: WalletPeer;

beforeEach(async () => {
  server = await readmeWallet();
  wallet = new WalletPeer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'op1', SECRET);
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** The transactions with the currency that the service always sends. */
const transact = (transactions: Transaction[], more: { transactionCount?: number; round?: string } = {}) =>
  wallet.transact(
    more.round ?? 'r1',
    transactions.map((one) => ({ currency: 'EUR', ...one })),
    { playerId: 'alice', ...more },
  );
const ids = ({ body }: Awaited<ReturnType<typeof transact>>) =>
  body.hashesProcessed?.map(({ hash, errorCode }) => [hash, errorCode?.id]);
const money = () => wallet.real('alice');

test('rule 1: a round, each call of it three times, moves money once', async () => {
  for (const transactions of [[debit('d1', 300)], [credit('c1', 50)], [credit('c2', 500), end('e1')]])
    for (const _ of [1, 2, 3]) {
      const answer = await transact(transactions);
      expect(answer.status).toBe(200);
      expect(ids(answer)).toEqual(transactions.map(({ hash }) => [hash, undefined]));
      expect(answer.body.balances).toEqual([{ type: 'real', amount: await money(), currency: 'EUR' }]);
    }
  expect(await money()).toBe(100_250);
  expect(ids(await transact([debit('D1', 301)]))).toEqual([['D1', 2002]]);
});

test('rule 1: a refused debit stays refused', async () => {
  const answer = await transact([debit('d1', 100_001)]);
  expect(answer).toMatchObject({ status: 400, body: { errorCode: { id: 5001 } } });
  await transact([debit('d9', 100), credit('c9', 0)], { round: 'r9' });
  await transact([credit('c8', 500)], { round: 'r9' });
  expect(ids(await transact([debit('d1', 100_001)]))).toEqual([['d1', 5001]]);
  expect(await money()).toBe(100_400);
});

test('rule 2: a void before its debit, in either round', async () => {
  expect((await transact([voidOf('d1')])).status).toBe(200);
  expect((await transact([debit('d1', 300)])).status).toBe(400);
  await transact([debit('d2', 300)], { round: 'r2' });
  await transact([voidOf('d3')], { round: 'r2' });
  expect((await transact([debit('d3', 100, false)], { round: 'r2' })).status).toBe(200);
  expect(await money()).toBe(99_700);
});

test('the void of a refused debit gives nothing back', async () => {
  await transact([debit('d1', 100_001)]);
  expect((await transact([voidOf('d1')])).status).toBe(200);
  expect(await money()).toBe(100_000);
});

test('a round in capitals is the same one', async () => {
  await transact([debit('d1', 300)]);
  expect((await transact([credit('c1', 100)], { round: 'R1' })).status).toBe(200);
  expect(await money()).toBe(99_800);
});

test('rule 3: after a failed debit no credit, in the call and later', async () => {
  const answer = await transact([debit('d1', 100_001), credit('c1', 50), end('e1')]);
  expect(answer.status).toBe(400);
  expect(ids(answer)).toEqual([
    ['d1', 5001],
    ['c1', 2000],
    ['e1', 2000],
  ]);
  expect((await transact([credit('c2', 50)])).status).toBe(400);
  await transact([debit('d2', 300)], { round: 'r2' });
  expect(ids(await transact([debit('d3', 100_000, false), credit('c3', 50)], { round: 'r2' }))).toEqual([
    ['d3', 5001],
    ['c3', 2000],
  ]);
  expect(await money()).toBe(99_700);
});

test('rule 4: a second initial debit has id 12, and the round goes on', async () => {
  await transact([debit('d1', 300)]);
  expect(ids(await transact([debit('d2', 100)]))).toEqual([['d2', 12]]);
  expect((await transact([credit('c1', 10), end('e1')])).status).toBe(200);
  expect(await money()).toBe(99_710);
});

test('rule 5: a closed round takes a void and no new money; a voided one nothing', async () => {
  await transact([debit('d1', 300)]);
  await transact([end('e1')]);
  expect(ids(await transact([debit('d2', 1, false)]))).toEqual([['d2', 2000]]);
  expect(ids(await transact([credit('c1', 1)]))).toEqual([['c1', 2000]]);
  for (const _ of [1, 2]) expect((await transact([voidOf('d1')])).status).toBe(200);
  expect(await money()).toBe(100_000);
  for (const late of [debit('d1', 300), credit('c1', 1), end('e1')])
    expect((await transact([late])).status).toBe(400);
  expect(await money()).toBe(100_000);
});

test('rules 6 and 7: nothing is done where a debit follows an end, or the count is wrong', async () => {
  expect((await transact([debit('d1', 300), end('e1'), debit('d2', 1, false)])).body.errorCode?.id).toBe(
    1000,
  );
  const cut = await transact([debit('d1', 300)], { transactionCount: 2 });
  expect(cut).toMatchObject({ status: 400, body: { errorCode: { id: 16 } } });
  expect(await money()).toBe(100_000);
});

test('a round is one player’s; a player and a free play that are not known are refused', async () => {
  await transact([debit('d1', 300)]);
  expect(ids(await transact([debit('d2', 1, false)], { round: 'r2' }))).toEqual([['d2', 15]]);
  const other = await wallet.transact('r1', [debit('d2', 1, false)], { playerId: 'bob' });
  expect(other.body.errorCode?.id).toBe(1000);
  expect((await wallet.transact('r3', [debit('d3', 1)], { playerId: 'bob' })).body.errorCode?.id).toBe(2003);
  expect(await wallet.balance('bob')).toMatchObject({ status: 404, body: { errorCode: { id: 2003 } } });
  const { amount: _, ...ticket } = { ...debit('d4', 0), serial: 's1' };
  expect(ids(await transact([ticket], { round: 'r4' }))).toEqual([['d4', 2008]]);
});

test('a win that is too large, or in another currency than its round, is refused', async () => {
  await transact([debit('d1', 300)]);
  expect(ids(await transact([credit('c1', Number.MAX_SAFE_INTEGER)]))).toEqual([['c1', 1000]]);
  const other = await transact([{ ...credit('c2', 1), currency: 'USD' }]);
  expect(other).toMatchObject({ status: 400, body: { errorCode: { id: 1000 } } });
});

test('a wrong signature, id or time gets 401 and moves nothing', async () => {
  const { url } = wallet;
  const strangers = [new WalletPeer(url, 'op1', 'wrong'), new WalletPeer(url, 'op2', SECRET)];
  for (const stranger of strangers) {
    const answer = await stranger.transact('r1', [debit('d1', 300)], { playerId: 'alice' });
    expect(answer).toMatchObject({ status: 401, body: { errorCode: { id: 1001 } } });
    expect((await stranger.balance('alice')).status).toBe(401);
    expect((await stranger.post('/doGameRoundReport', { gameRoundDetail: {} }, [])).status).toBe(401);
  }
  const late = new Date(Date.now() - 301_000).toISOString();
  const headers = wallet.headers(['alice', 'EUR'], late);
  expect((await wallet.send('/getBalance?playerId=alice&currency=EUR', { headers })).status).toBe(401);
  expect(await money()).toBe(100_000);
});

test('what is malformed gets 400 with id 1000, and an unknown path 404', async () => {
  const wrong = [
    { ...debit('d1', 1.5) },
    { ...debit('d1', -1) },
    { ...credit('c1', 1), amount: undefined },
    { ...debit('d1', 1), isFirstDebit: undefined },
    { ...debit('d#1', 1) },
    { ...debit('d1', 1), type: 'refund' },
    { ...debit('d1', 1), currency: 'USD' },
  ];
  for (const one of wrong) {
    const answer = await transact([credit('c0', 1), one as Transaction]);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: { id: 1000 } } });
  }
  const large = { gameRoundDetail: { text: 'x'.repeat(1024 * 1024) } };
  expect(await wallet.post('/doGameRoundReport', large, [])).toMatchObject({
    status: 413,
    body: { errorCode: { id: 1002 } },
  });
  expect(await wallet.post('/other', {}, [])).toMatchObject({
    status: 404,
    body: { errorCode: { id: 1005 } },
  });
  expect(await money()).toBe(100_000);
});
