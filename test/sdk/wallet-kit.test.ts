import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as sdk from '../../sdk';
import { debit, WalletPeer } from '../sandbox/wallet-peer';

/* What the wallet kit does with its options. Its rules are in wallet.test.ts. */

const SECRET = 'sandbox-only-operator-secret-op1';

let server: Server;
let wallet: WalletPeer;

async function serve({ listener }: sdk.Wallet): Promise<void> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  wallet = new WalletPeer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'op1', SECRET);
}
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a failure of the books is a 500, and is told to onError; reports are handed over', async () => {
  const [errors, reports]: unknown[][] = [[], []];
  const failing = sdk.createWallet({
    operatorId: 'op1',
    secrets: [SECRET],
    balance: () => Promise.reject(new Error('no database')),
    transact: () => Promise.reject(new Error('no database')),
    onError: (error) => errors!.push(error),
    report: (detail) => Promise.resolve(reports!.push(detail)),
  });
  await serve(failing);
  expect((await wallet.balance('alice')).status).toBe(500);
  const transacted = await wallet.transact('r1', [{ currency: 'EUR', ...debit('d1', 1) }], {
    playerId: 'alice',
  });
  expect(transacted).toMatchObject({ status: 500, body: { errorCode: { id: 1004 } } });
  expect(errors).toHaveLength(2);
  const report = { gameRoundDetail: { hash: 'r1', player: 'alice' } };
  expect(await wallet.post('/doGameRoundReport', report, [])).toMatchObject({ status: 200, body: {} });
  expect(reports).toEqual([report.gameRoundDetail]);
});

test('odd requests are refused, and are no failures', async () => {
  const errors: unknown[] = [];
  const kit = sdk.createWallet({
    operatorId: 'op1',
    secrets: [SECRET],
    balance: () => Promise.resolve(5),
    transact: () => Promise.resolve(),
    onError: (error) => errors.push(error),
  });
  await serve(kit);
  for (const url of ['//[', 'http://[', '', '/%', '//'])
    expect([400, 401, 404]).toContain(
      (await kit.handle({ method: 'POST', url, headers: {}, body: '[' })).status,
    );
  expect(errors).toEqual([]);
});

test('debug tells each request, and what its signature has to be of', async () => {
  const entries: sdk.DebugEntry[] = [];
  const debugged = sdk.createWallet({
    operatorId: 'op1',
    secrets: [SECRET],
    balance: () => Promise.resolve(5),
    transact: () => Promise.resolve(),
    onError: () => undefined,
    debug: (entry) => entries.push(entry),
  });
  await serve(debugged);
  await new WalletPeer(wallet.url, 'op1', 'wrong').balance('alice');
  await new WalletPeer(wallet.url, 'op2', SECRET).balance('alice');
  await wallet.balance('alice');
  const url = '/getBalance?playerId=alice&currency=EUR';
  const signed = expect.stringMatching(/^<secret>#op1#[\d:.TZ-]+#alice#EUR$/) as string;
  expect(entries).toMatchObject([
    { method: 'GET', url, status: 401, signed },
    { method: 'GET', url, status: 401, signed: '' },
    { method: 'GET', url, status: 200, signed, reply: { balances: [{ amount: 5 }] } },
  ]);
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});
