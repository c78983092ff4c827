import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import type { RunningServer } from '../../sandbox/http/server';
import { credit, debit, end, OPERATOR, voidOf, WalletPeer } from './wallet-peer';

interface Call {
  n: number;
  path: string;
  status: number | null;
  body: { gameRound?: string };
  fault?: string;
  clientLeft?: boolean;
}

let server: RunningServer;
let wallet: WalletPeer;

beforeEach(async () => {
  server = await createWalletApp({ operators: [OPERATOR], defaultBalance: 1_000 }).start();
  wallet = new WalletPeer(server.url);
});
afterEach(() => server.close());

/** What the wallet's books say of the round's debit, whatever was answered. */
const net = async (gameRound = 'r1'): Promise<number | undefined> =>
  (await wallet.ledger(`gameRound=${gameRound}`)).rounds[0]?.net;

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error('never came true');
};

describe('status', () => {
  test.each([400, 401, 403, 404, 408, 425, 429, 500, 502, 503])(
    '%d without an errorCode, nothing processed',
    async (status) => {
      await wallet.fault({ fault: 'status', status });
      const answer = await wallet.transact('r1', [debit('d1', 10)]);
      expect(answer.status).toBe(status);
      expect(() => JSON.parse(answer.text) as unknown).toThrow();
      expect(await net()).toBeUndefined();
    },
  );

  test('with an errorCode of the chosen id, after processing', async () => {
    await wallet.fault({ fault: 'status', status: 500, errorCode: { id: 77 }, when: 'after' });
    const answer = await wallet.transact('r1', [debit('d1', 10)]);
    expect(answer).toMatchObject({ status: 500, body: { errorCode: { id: 77 } } });
    expect(await net()).toBe(-10);
  });

  test('of one kind of transaction only: the debit goes through, the end is refused', async () => {
    await wallet.fault({
      fault: 'status',
      status: 400,
      where: 'hash',
      match: { type: 'end' },
      errorCode: { id: 7 },
    });
    const answer = await wallet.transact('r1', [debit('d1', 10), end('e1')]);
    expect(answer.status).toBe(400);
    expect(answer.body.hashesProcessed).toMatchObject([{ hash: 'd1' }, { hash: 'e1', errorCode: { id: 7 } }]);
    expect(answer.body.hashesProcessed?.[0]?.errorCode).toBeUndefined();
    expect((await wallet.ledger('gameRound=r1')).rounds).toMatchObject([{ status: 'open', net: -10 }]);
  });
});

test('a win that is refused by its hash takes the end behind it with it, and can still be paid', async () => {
  await wallet.transact('r1', [debit('d1', 10)]);
  const call = [credit('c1', 25), end('e1')];
  await wallet.fault({ fault: 'status', status: 400, where: 'hash', match: { type: 'credit' } });
  const refused = await wallet.transact('r1', call);
  expect(refused.body.hashesProcessed?.map(({ errorCode }) => errorCode === undefined)).toEqual([
    false,
    false,
  ]);
  expect((await wallet.ledger('gameRound=r1')).rounds).toMatchObject([{ status: 'open', net: -10 }]);
  expect((await wallet.transact('r1', call)).status).toBe(200);
  expect((await wallet.ledger('gameRound=r1')).rounds).toMatchObject([{ status: 'closed', net: 15 }]);
});

describe('errorOn200', () => {
  test('top-level, not processed', async () => {
    await wallet.fault({ fault: 'errorOn200', errorCode: { id: 7 } });
    const answer = await wallet.transact('r1', [debit('d1', 10)]);
    expect(answer).toMatchObject({ status: 200, body: { errorCode: { id: 7 } } });
    expect(answer.headers.get('X-H-ERROR-ID')).toBeNull();
    expect(await net()).toBeUndefined();
  });

  test.each([
    ['before', undefined],
    ['after', -10],
  ])('for the hash, %s processing', async (when, expected) => {
    await wallet.fault({ fault: 'errorOn200', where: 'hash', when, errorCode: { id: 7 } });
    const answer = await wallet.transact('r1', [debit('d1', 10)]);
    expect(answer.status).toBe(200);
    expect(answer.body.errorCode).toBeUndefined();
    expect(answer.body.hashesProcessed).toMatchObject([{ hash: 'd1', errorCode: { id: 7 } }]);
    expect(await net()).toBe(expected);
  });

  test('with X-H-ERROR-ID on a report', async () => {
    await wallet.fault({ fault: 'errorOn200', errorIdHeader: true, errorCode: { id: 7 } });
    const body = { gameRoundDetail: { hash: 'r1', player: 'p1', status: 'closed' } };
    const answer = await wallet.post('/doGameRoundReport', body, []);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('X-H-ERROR-ID')).toBe('7');
  });
});

describe('no answer', () => {
  test.each([
    ['before', undefined],
    ['after', -10],
  ])('hang %s processing', async (when, expected) => {
    await wallet.fault({ fault: 'hang', when });
    const started = Date.now();
    await expect(wallet.transact('r1', [debit('d1', 10)], { timeoutMs: 300 })).rejects.toThrow();
    expect(Date.now() - started).toBeGreaterThanOrEqual(290);
    expect(await net()).toBe(expected);
    await until(async () => {
      const { calls } = await wallet.admin<{ calls: Call[] }>('GET', '/calls?path=/doTransactions');
      return calls[0]?.clientLeft === true && calls[0].status === null && calls[0].fault === 'hang';
    });
  });

  test.each([
    ['dropReply', -10],
    ['cutReply', -10],
    ['reset', undefined],
  ])('%s', async (fault, expected) => {
    await wallet.fault({ fault });
    await expect(wallet.transact('r1', [debit('d1', 10)])).rejects.toThrow();
    expect(await net()).toBe(expected);
  });

  test('endless: bytes come, no end does', async () => {
    await wallet.fault({ fault: 'endless' });
    const call = wallet.transact('r1', [debit('d1', 10)], { timeoutMs: 500 });
    await expect(call).rejects.toThrow();
    expect(await net()).toBe(-10);
  });
});

describe('answers that are none', () => {
  test('garbage', async () => {
    await wallet.fault({ fault: 'garbage' });
    const answer = await wallet.transact('r1', [debit('d1', 10)]);
    expect(answer.status).toBe(200);
    expect(() => JSON.parse(answer.text) as unknown).toThrow();
    expect(await net()).toBe(-10);
  });

  test('array', async () => {
    await wallet.fault({ fault: 'array' });
    expect(await wallet.transact('r1', [debit('d1', 10)])).toMatchObject({ status: 200, text: '[]' });
  });

  test('redirect; who follows it is seen', async () => {
    await wallet.fault({ fault: 'redirect' });
    const answer = await wallet.transact('r1', [debit('d1', 10)]);
    expect([answer.status, answer.headers.get('Location')]).toEqual([307, '/redirected']);
    const seen = () => wallet.admin<{ calls: Call[] }>('GET', '/calls?path=/redirected');
    expect((await seen()).calls).toHaveLength(0);
    await wallet.send('/redirected');
    expect((await seen()).calls).toHaveLength(1);
  });

  test.each([false, true])('huge, compressed %s', async (compressed) => {
    await wallet.fault({ fault: 'huge', bytes: 3_000_000, compressed });
    const answer = await wallet.transact('r1', [debit('d1', 10)]);
    expect(answer.text.length).toBeGreaterThan(3_000_000);
    expect(answer.headers.get('Content-Encoding')).toBe(compressed ? 'gzip' : null);
  });

  test('omit takes fields out of the true answer', async () => {
    await wallet.fault({ fault: 'omit', fields: ['balances', 'hashesProcessed.0.hash'] });
    const answer = await wallet.transact('r1', [debit('d1', 10)]);
    expect(answer.body).toEqual({ hashesProcessed: [{}] });
  });
});

describe('late', () => {
  test.each(['before', 'after'])('slow, %s processing', async (when) => {
    await wallet.fault({ fault: 'slow', delayMs: 300, when });
    const call = wallet.transact('r1', [debit('d1', 10)]);
    await sleep(150);
    expect(await net()).toBe(when === 'before' ? undefined : -10);
    expect((await call).status).toBe(200);
    expect(await net()).toBe(-10);
  });

  test('hold: a void overtakes its debit, which is processed on release', async () => {
    const { id } = await wallet.fault({ fault: 'hold', match: { type: 'debit' } });
    await expect(wallet.transact('r1', [debit('d1', 10)], { timeoutMs: 200 })).rejects.toThrow();
    expect(await net()).toBeUndefined();
    expect((await wallet.transact('r1', [voidOf('d1')])).status).toBe(200);
    expect(await wallet.admin('GET', '/faults')).toMatchObject({ held: 1 });
    expect(await wallet.admin('POST', '/release', { id })).toEqual({ released: 1 });
    expect(await net()).toBe(0);
    expect(await wallet.real()).toBe(1_000);
  });

  test('hold without a void: released, the debit counts', async () => {
    await wallet.fault({ fault: 'hold' });
    await expect(wallet.transact('r1', [debit('d1', 10)], { timeoutMs: 200 })).rejects.toThrow();
    expect(await wallet.admin('POST', '/release', {})).toEqual({ released: 1 });
    expect(await net()).toBe(-10);
  });

  test('hold with a delay: processed by itself, and answered if someone still waits', async () => {
    await wallet.fault({ fault: 'hold', delayMs: 200 });
    expect((await wallet.transact('r1', [debit('d1', 10)])).status).toBe(200);
    expect(await net()).toBe(-10);
  });

  test('duplicate: the call comes a second time and moves nothing more', async () => {
    await wallet.fault({ fault: 'duplicate' });
    expect((await wallet.transact('r1', [debit('d1', 10)])).status).toBe(200);
    await sleep(50);
    expect(await net()).toBe(-10);
  });
});

describe('which calls', () => {
  test('times and skip count matching calls only', async () => {
    await wallet.fault({ fault: 'status', status: 500, match: { type: 'credit' }, times: 2, skip: 1 });
    expect((await wallet.transact('r1', [debit('d1', 10)])).status).toBe(200);
    const statuses: number[] = [];
    for (const hash of ['c1', 'c2', 'c2', 'c2']) {
      statuses.push((await wallet.transact('r1', [credit(hash, 1)])).status);
    }
    expect(statuses).toEqual([200, 500, 500, 200]);
    expect(await wallet.admin('GET', '/faults')).toMatchObject({ faults: [{ hits: 2, left: 0 }] });
  });

  test.each([
    ['path', { path: '/getBalance' }],
    ['gameRound', { gameRound: 'other' }],
    ['playerId', { playerId: 'other' }],
    ['tenantId', { tenantId: 'other' }],
    ['hash', { hash: 'other' }],
    ['type', { type: 'void' }],
  ])('%s that is another is left alone', async (_, match) => {
    await wallet.fault({ fault: 'status', status: 500, match });
    expect((await wallet.transact('r1', [debit('d1', 10)])).status).toBe(200);
  });

  test('getBalance can fail as well', async () => {
    await wallet.fault({ fault: 'status', status: 503, match: { path: '/getBalance', playerId: 'p1' } });
    expect((await wallet.balance()).status).toBe(503);
    expect((await wallet.balance()).status).toBe(200);
  });

  test('an unsigned call uses no switch up', async () => {
    await wallet.fault({ fault: 'status', status: 500 });
    expect((await wallet.send('/getBalance?playerId=p1&currency=EUR')).status).toBe(401);
    expect((await wallet.balance()).status).toBe(500);
  });

  test('deleted switches are off: one, and all', async () => {
    const { id } = await wallet.fault({ fault: 'status', status: 500, times: 10 });
    expect((await wallet.balance()).status).toBe(500);
    await wallet.admin('DELETE', `/faults/${id}`);
    expect((await wallet.balance()).status).toBe(200);
    await wallet.fault({ fault: 'status', status: 500, times: 10 });
    await wallet.admin('DELETE', '/faults');
    expect((await wallet.balance()).status).toBe(200);
  });

  test.each([
    [{ fault: 'explode' }],
    [{ fault: 'status' }],
    [{ fault: 'status', status: 500, times: 0 }],
    [{ fault: 'slow', delayMs: 1e9 }],
    [{ fault: 'status', status: 500, match: { typ: 'debit' } }],
  ])('%j is refused', async (fault) => {
    await expect(wallet.fault(fault)).rejects.toThrow('400');
  });
});

describe('admin', () => {
  test('the ledger can be read in pages', async () => {
    await wallet.transact('r1', [debit('d1', 10)]);
    await wallet.transact('r1', [credit('c1', 5), end('e1')]);
    const seen: string[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = await wallet.ledger(`limit=1&after=${after}`);
      seen.push(...page.movements.map(({ type }) => type));
      after = page.nextAfter;
    }
    expect(seen).toEqual(['adjustment', 'debit', 'credit', 'end']);
  });

  test('calls are listed with what was answered, and the list is bounded', async () => {
    await server.close();
    server = await createWalletApp({ operators: [OPERATOR], maxCalls: 3 }).start();
    wallet = new WalletPeer(server.url);
    for (const round of ['r1', 'r2', 'r3', 'r4']) await wallet.transact(round, [debit(`d-${round}`, 10)]);
    const { calls } = await wallet.admin<{ calls: Call[] }>('GET', '/calls');
    expect(calls.map(({ n, path, status, body }) => [n, path, status, body.gameRound])).toEqual([
      [2, '/doTransactions', 200, 'r2'],
      [3, '/doTransactions', 200, 'r3'],
      [4, '/doTransactions', 200, 'r4'],
    ]);
    const one = await wallet.admin<{ calls: Call[] }>('GET', '/calls?gameRound=r3');
    expect(one.calls).toHaveLength(1);
  });

  test('a web page that is open on this machine cannot throw the switches', async () => {
    const answer = await wallet.send('/sandbox/faults', { headers: { Origin: 'http://evil.example' } });
    expect(answer.status).toBe(403);
  });

  test('a repeated auth header is as good as none', async () => {
    const headers = wallet.headers(['p1', 'EUR']);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const status = async (more: string): Promise<string> => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.write(
        `GET /getBalance?playerId=p1&currency=EUR HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}${more}\r\n`,
      );
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString().split('\r\n')[0] ?? '';
    };
    expect(await status('')).toContain('200');
    expect(await status(`X-H-AUTH-SIG: ${headers['X-H-AUTH-SIG']}\r\n`)).toContain('401');
  });
});
