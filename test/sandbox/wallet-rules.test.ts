import { mkdtemp, appendFile, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWalletApp, type WalletOptions } from '../../sandbox/wallet/wallet';
import type { RunningServer } from '../../sandbox/http/server';
import { credit, debit, end, OPERATOR, signature, voidOf, WalletPeer } from './wallet-peer';

const OTHER = { operatorId: 'op2', secrets: ['new-secret', 'old-secret'] };
const INSUFFICIENTFUNDS = 5001;

let server: RunningServer;
let wallet: WalletPeer;

async function start(options: WalletOptions = {}): Promise<void> {
  server = await createWalletApp({ operators: [OPERATOR, OTHER], defaultBalance: 1_000, ...options }).start();
  wallet = new WalletPeer(server.url);
}

const idsOf = (answer: { body: { hashesProcessed?: { hash: string; errorCode?: { id: number } }[] } }) =>
  answer.body.hashesProcessed?.map(({ hash, errorCode }) => [hash, errorCode?.id]);

beforeEach(() => start());
afterEach(() => server.close());

describe('rule 1: in order, idempotent on (type, hash)', () => {
  test('a round moves the balance as its transactions say', async () => {
    const started = await wallet.transact('r1', [debit('d1', 300)]);
    expect(started).toMatchObject({
      status: 200,
      body: { balances: [{ type: 'real', amount: 700, currency: 'EUR' }], hashesProcessed: [{ hash: 'd1' }] },
    });
    const ended = await wallet.transact('r1', [credit('c1', 500), end('e1')]);
    expect(ended.status).toBe(200);
    expect(ended.body.errorCode).toBeUndefined();
    expect(await wallet.real()).toBe(1_200);
    const { rounds, movements } = await wallet.ledger('gameRound=r1');
    expect(rounds).toMatchObject([{ status: 'closed', debited: 300, credited: 500, net: 200 }]);
    expect(movements.map(({ type, hash, balanceAfter }) => [type, hash, balanceAfter])).toEqual([
      ['debit', 'd1', 700],
      ['credit', 'c1', 1_200],
      ['end', 'e1', 1_200],
    ]);
  });

  test('every transaction repeated, in series and 20 at once, moves money once', async () => {
    for (const transactions of [[debit('d1', 300)], [credit('c1', 50)], [end('e1')]]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => wallet.transact('r1', transactions)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    }
    expect(await wallet.real()).toBe(750);
    const { movements } = await wallet.ledger('gameRound=r1');
    expect(movements).toHaveLength(3);
  });

  test('a hash or gameRound in capitals is the same one', async () => {
    const [round, hash] = ['1276f4d6-25fd-8d78-9644-fedd8d9abb93', '2c755b6e-f5a8-8262-aaab-cc8dd4413804'];
    await wallet.transact(round, [debit(hash, 300)]);
    const again = await wallet.transact(round.toUpperCase(), [debit(hash.toUpperCase(), 300)]);
    expect(again.status).toBe(200);
    expect(await wallet.real()).toBe(700);
    expect((await wallet.ledger(`gameRound=${round.toUpperCase()}`)).movements).toHaveLength(1);
    await wallet.transact(round, [voidOf(hash.toUpperCase())]);
    expect(await wallet.real()).toBe(1_000);
  });

  test('one hash with two amounts is refused, and so is one hash in two rounds', async () => {
    await wallet.transact('r1', [debit('d1', 300)]);
    expect(idsOf(await wallet.transact('r1', [debit('d1', 301)]))).toEqual([['d1', 2002]]);
    expect(idsOf(await wallet.transact('r2', [debit('d1', 300)]))).toEqual([['d1', 2002]]);
    expect(await wallet.real()).toBe(700);
  });

  test('a failed debit stays failed when it is repeated, also with money there', async () => {
    expect((await wallet.transact('r1', [debit('d1', 1_001)])).body.errorCode?.id).toBe(INSUFFICIENTFUNDS);
    await wallet.admin('PUT', '/players/p1', { balance: 5_000 });
    const again = await wallet.transact('r1', [debit('d1', 1_001)]);
    expect(again).toMatchObject({ status: 400, body: { errorCode: { id: INSUFFICIENTFUNDS } } });
    expect(await wallet.real()).toBe(5_000);
  });
});

describe('rule 2: a void before its debit', () => {
  test('the debit is voided on arrival: nothing moves', async () => {
    expect((await wallet.transact('r1', [voidOf('d1')])).status).toBe(200);
    const late = await wallet.transact('r1', [debit('d1', 300)]);
    expect(late.status).toBe(400);
    expect(await wallet.real()).toBe(1_000);
    expect((await wallet.ledger('gameRound=r1')).rounds).toMatchObject([{ status: 'voided', net: 0 }]);
  });

  test('of a follow-up: that debit moves nothing, the round stays open', async () => {
    await wallet.transact('r1', [debit('d1', 300)]);
    await wallet.transact('r1', [voidOf('d2')]);
    await wallet.transact('r1', [debit('d2', 100, false)]);
    expect(await wallet.real()).toBe(700);
    expect((await wallet.transact('r1', [credit('c1', 10), end('e1')])).status).toBe(200);
    expect(await wallet.real()).toBe(710);
  });
});

describe('rule 3: after a failed debit', () => {
  test('credits of the same call and of later ones are declined, and no status is 200', async () => {
    const call = await wallet.transact('r1', [debit('d1', 1_001), credit('c1', 50), end('e1')]);
    expect(call.status).toBe(400);
    expect(idsOf(call)).toEqual([
      ['d1', INSUFFICIENTFUNDS],
      ['c1', 5003],
      ['e1', 5003],
    ]);
    expect((await wallet.transact('r1', [credit('c2', 50)])).status).toBe(400);
    expect((await wallet.transact('r1', [debit('d2', 1, false)])).status).toBe(400);
    expect(await wallet.real()).toBe(1_000);
  });

  test('a failed follow-up declines the credit of its call and leaves the round open', async () => {
    await wallet.transact('r1', [debit('d1', 900)]);
    const call = await wallet.transact('r1', [debit('d2', 101, false), credit('c1', 50)]);
    expect(call.status).toBe(400);
    expect(idsOf(call)).toEqual([
      ['d2', INSUFFICIENTFUNDS],
      ['c1', 5003],
    ]);
    expect((await wallet.transact('r1', [credit('c2', 50), end('e1')])).status).toBe(200);
    expect(await wallet.real()).toBe(150);
  });

  test('what went through in a failed call is told per hash', async () => {
    await wallet.transact('r1', [debit('d1', 900)]);
    const call = await wallet.transact('r1', [credit('c1', 1), debit('d2', 5_000, false)]);
    expect(call.status).not.toBe(200);
    expect(idsOf(call)).toEqual([
      ['c1', undefined],
      ['d2', INSUFFICIENTFUNDS],
    ]);
  });
});

test('rule 4: a second initial debit is answered with error id 12, and the round goes on', async () => {
  await wallet.transact('r1', [debit('d1', 300)]);
  const second = await wallet.transact('r1', [debit('d2', 100)]);
  expect(second).toMatchObject({ status: 400, body: { errorCode: { id: 12 } } });
  expect(idsOf(second)).toEqual([['d2', 12]]);
  expect(await wallet.real()).toBe(700);
  expect((await wallet.transact('r1', [credit('c1', 10), end('e1')])).status).toBe(200);
});

describe('rule 5: closed and voided rounds', () => {
  test('new debits and credits of a closed round fail, earlier ones are repeats', async () => {
    await wallet.transact('r1', [debit('d1', 300)]);
    await wallet.transact('r1', [credit('c1', 10), end('e1')]);
    expect((await wallet.transact('r1', [debit('d2', 1, false)])).status).toBe(400);
    expect((await wallet.transact('r1', [credit('c2', 1)])).status).toBe(400);
    const resent = await wallet.transact('r1', [debit('d1', 300), credit('c1', 10), end('e1')]);
    expect(resent.status).toBe(200);
    expect(await wallet.real()).toBe(710);
  });

  test('a void is processed whatever the state: open, closed, failed', async () => {
    await wallet.transact('open', [debit('d1', 100)]);
    await wallet.transact('closed', [debit('d2', 200), end('e2')]);
    await wallet.transact('failed', [debit('d3', 5_000)]);
    expect(await wallet.real()).toBe(700);
    expect((await wallet.transact('open', [voidOf('d1')])).status).toBe(200);
    expect((await wallet.transact('closed', [voidOf('d2')])).status).toBe(200);
    expect((await wallet.transact('failed', [voidOf('d3')])).status).toBe(200);
    expect(await wallet.real()).toBe(1_000);
  });

  test('transactions of a voided round are answered with 400; a repeated void moves nothing more', async () => {
    await wallet.transact('r1', [debit('d1', 300)]);
    await wallet.transact('r1', [voidOf('d1')]);
    for (const late of [debit('d1', 300), debit('d2', 1, false), credit('c1', 5), end('e1')]) {
      expect((await wallet.transact('r1', [late])).status).toBe(400);
    }
    expect((await wallet.transact('r1', [voidOf('d1')])).status).toBe(200);
    expect(await wallet.real()).toBe(1_000);
  });

  test('a void of a follow-up takes back that debit only', async () => {
    await wallet.transact('r1', [debit('d1', 300)]);
    await wallet.transact('r1', [debit('d2', 100, false)]);
    expect((await wallet.transact('r1', [voidOf('d2')])).status).toBe(200);
    expect(await wallet.real()).toBe(700);
    expect((await wallet.ledger('gameRound=r1')).rounds).toMatchObject([{ status: 'open', net: -300 }]);
  });

  test('an operator that voids whole rounds takes back every debit', async () => {
    await server.close();
    await start({ operators: [{ ...OPERATOR, voidsWholeRound: true }] });
    await wallet.transact('r1', [debit('d1', 300)]);
    await wallet.transact('r1', [debit('d2', 100, false)]);
    await wallet.transact('r1', [voidOf('d2')]);
    expect(await wallet.real()).toBe(1_000);
    expect((await wallet.ledger('gameRound=r1')).rounds).toMatchObject([{ status: 'voided', net: 0 }]);
  });
});

test('rule 6: a call with a debit after an end is refused whole', async () => {
  const call = await wallet.transact('r1', [debit('d1', 10), end('e1'), debit('d2', 10, false)]);
  expect(call.status).toBe(400);
  expect(await wallet.real()).toBe(1_000);
});

test('rule 7: a wrong transactionCount is 400 with id 16, and nothing is processed', async () => {
  for (const transactionCount of [0, 2]) {
    const call = await wallet.transact('r1', [debit('d1', 10)], { transactionCount });
    expect(call).toMatchObject({ status: 400, body: { errorCode: { id: 16 } } });
  }
  expect(await wallet.real()).toBe(1_000);
});

test('rule 8: a credit of a round that cannot take it is refused with 4xx, never with 5xx', async () => {
  const unknown = await wallet.transact('never-started', [credit('c1', 5)]);
  expect(unknown).toMatchObject({ status: 400, body: { errorCode: { id: 15 } } });
  await wallet.transact('r1', [debit('d1', 10)]);
  const tooMuch = await wallet.transact('r1', [credit('c1', Number.MAX_SAFE_INTEGER)]);
  expect(tooMuch.status).toBe(400);
});

describe('signatures', () => {
  const call = { playerId: 'p1', gameCode: 'g1', gameRound: 'r1', transactions: [debit('d1', 10)] };
  const body = { ...call, transactionCount: 1 };

  test.each([
    ['a field left out', ['p1', 'g1', 'r1', 'd1']],
    ['fields in another order', ['g1', 'p1', 'r1', 'd1', 10]],
    ['another amount', ['p1', 'g1', 'r1', 'd1', 11]],
    ['no fields', []],
  ])('%s: 401 with id 1001, nothing processed', async (_, fields) => {
    const refused = await wallet.post('/doTransactions', body, fields);
    expect(refused).toMatchObject({ status: 401, body: { errorCode: { id: 1001 } } });
    expect((await wallet.ledger('gameRound=r1')).movements).toEqual([]);
  });

  test('missing and empty headers and an unknown operator: the same answer', async () => {
    const good = wallet.headers(['p1', 'EUR']);
    const without = (name: string) =>
      Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
    const attempts = [
      without('X-H-AUTH-ID'),
      without('X-H-AUTH-SIG'),
      without('X-H-TIMESTAMP'),
      { ...good, 'X-H-AUTH-SIG': '' },
      { ...good, 'X-H-AUTH-ID': 'nobody' },
      { ...good, 'X-H-AUTH-SIG': `${good['X-H-AUTH-SIG']} ` + 'x' },
    ];
    const answers = await Promise.all(
      attempts.map((headers) => wallet.send('/getBalance?playerId=p1&currency=EUR', { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(attempts.length).fill(401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await wallet.send('/getBalance?playerId=p1&currency=EUR', { headers: good })).status).toBe(200);
  });

  test.each([
    ['ten minutes old', new Date(Date.now() - 600_000).toISOString(), 401],
    ['ten minutes ahead', new Date(Date.now() + 600_000).toISOString(), 401],
    ['no date-time', 'today', 401],
    ['without a zone it is UTC', new Date().toISOString().slice(0, -1), 200],
    ['with an offset', new Date(Date.now() + 7_200_000).toISOString().replace('Z', '+02:00'), 200],
  ])('timestamp %s', async (_, timestamp, status) => {
    const headers = wallet.headers(['p1', 'EUR'], timestamp);
    expect((await wallet.send('/getBalance?playerId=p1&currency=EUR', { headers })).status).toBe(status);
  });

  test('gameCode of getBalance is signed when it is there', async () => {
    const path = '/getBalance?playerId=p1&currency=EUR&gameCode=g1';
    expect((await wallet.send(path, { headers: wallet.headers(['p1', 'EUR', 'g1']) })).status).toBe(200);
    expect((await wallet.send(path, { headers: wallet.headers(['p1', 'EUR']) })).status).toBe(401);
  });

  test('every secret of the operator verifies, and no other operator’s', async () => {
    for (const secret of OTHER.secrets) {
      expect((await new WalletPeer(server.url, 'op2', secret).balance()).status).toBe(200);
    }
    expect((await new WalletPeer(server.url, 'op2', OPERATOR.secrets[0]).balance()).status).toBe(401);
  });

  test('doGameRoundReport signs no further fields; it is kept and can be read', async () => {
    const gameRoundDetail = { hash: 'r1', player: 'p1', status: 'closed', totalBetAmount: 10 };
    expect((await wallet.post('/doGameRoundReport', { gameRoundDetail }, ['r1'])).status).toBe(401);
    const taken = await wallet.post('/doGameRoundReport', { gameRoundDetail }, []);
    expect(taken).toMatchObject({ status: 200, text: '{}' });
    expect(await wallet.admin('GET', '/reports?gameRound=r1')).toMatchObject({ times: 1, gameRoundDetail });
  });

  test('the helper signs as docs/signing.md says', () => {
    // printf '%s' 'k#op1#2026-01-01T00:00:00Z#p1#EUR' | openssl dgst -sha256 -hmac k -binary | base64
    expect(signature('k', ['op1', '2026-01-01T00:00:00Z', 'p1', 'EUR'])).toBe(
      'csW5gUoYdpGcQKoKJYoJxEJzihGsp+vz4vyEJ+g23Ww=',
    );
  });
});

describe('shape', () => {
  test.each([
    ['fraction', { amount: 0.5 }],
    ['negative', { amount: -1 }],
    ['too large', { amount: 9007199254740992 }],
    ['no currency', { currency: undefined }],
    ['no isFirstDebit', { isFirstDebit: undefined }],
    ['# in a hash', { hash: 'a#b' }],
    ['unknown type', { type: 'bet' }],
  ])('%s: 400', async (_, change) => {
    const transaction = { ...debit('d1', 10), ...change } as ReturnType<typeof debit>;
    expect((await wallet.transact('r1', [transaction])).status).toBe(400);
  });

  test('an amount on an end or a void is refused', async () => {
    await wallet.transact('r1', [debit('d1', 10)]);
    expect((await wallet.transact('r1', [{ ...end('e1'), amount: 5 }])).status).toBe(400);
    expect((await wallet.transact('r1', [{ ...voidOf('d1'), amount: 10 }])).status).toBe(400);
  });

  test('another player’s round is refused', async () => {
    await wallet.transact('r1', [debit('d1', 10)]);
    expect((await wallet.transact('r1', [credit('c1', 10)], { playerId: 'p2' })).status).toBe(400);
  });
});

test('two operators’ equal ids are two rounds of two players', async () => {
  const other = new WalletPeer(server.url, 'op2', 'old-secret');
  await wallet.transact('r1', [debit('d1', 100)]);
  await other.transact('r1', [debit('d1', 250)]);
  expect([await wallet.real(), await other.real()]).toEqual([900, 750]);
  expect((await wallet.ledger('operatorId=op2&gameRound=r1')).rounds).toMatchObject([{ net: -250 }]);
});

describe('tickets, discounts, bonus', () => {
  const ticketDebit = {
    type: 'debit' as const,
    hash: 'd1',
    currency: 'EUR',
    isFirstDebit: true,
    serial: 's1',
  };
  const ticket = { playerId: 'p1', gameCode: 'g1', currency: 'EUR', stake: 20, count: 1, serial: 's1' };

  test('a debit with a serial and no amount uses one ticket; used up, it is refused', async () => {
    await wallet.admin('POST', '/tickets', ticket);
    expect((await wallet.balance('p1', 'EUR', 'g1')).body.tickets).toMatchObject([
      { serial: 's1', count: 1 },
    ]);
    expect((await wallet.balance()).body.tickets).toBeUndefined();
    expect((await wallet.transact('r1', [ticketDebit])).status).toBe(200);
    expect(await wallet.real()).toBe(1_000);
    expect((await wallet.balance('p1', 'EUR', 'g1')).body.tickets).toEqual([]);
    const second = await wallet.transact('r2', [{ ...ticketDebit, hash: 'd2' }]);
    expect(second).toMatchObject({ status: 400, body: { errorCode: { id: 2008 } } });
  });

  test('the void of a ticket debit gives the ticket back', async () => {
    await wallet.admin('POST', '/tickets', { ...ticket, listedAs: 'freePlays' });
    await wallet.transact('r1', [ticketDebit]);
    await wallet.transact('r1', [voidOf('d1')]);
    expect((await wallet.balance('p1', 'EUR', 'g1')).body.freePlays).toMatchObject([{ count: 1 }]);
  });

  test('the current discount is subtracted from the full stake, once per spin that is left', async () => {
    const discounts = [{ stake: 100, absoluteDiscountAmount: 40, spinsRemaining: 1 }];
    await wallet.admin('POST', '/discounts', { playerId: 'p1', currency: 'EUR', campaignId: 'x', discounts });
    expect((await wallet.balance()).body.discountInfo).toMatchObject({ campaignId: 'x', discounts });
    await wallet.transact('r1', [debit('d1', 90)]);
    expect(await wallet.real()).toBe(910);
    await wallet.transact('r2', [debit('d2', 100)]);
    expect(await wallet.real()).toBe(850);
    await wallet.transact('r3', [debit('d3', 100)]);
    expect(await wallet.real()).toBe(750);
    await wallet.transact('r2', [voidOf('d2')]);
    expect(await wallet.real()).toBe(810);
    expect((await wallet.balance()).body.discountInfo?.discounts).toMatchObject([{ spinsRemaining: 1 }]);
  });

  test('a discount that is over counts no more', async () => {
    const discounts = [{ stake: 100, absoluteDiscountAmount: 40, spinsRemaining: 5 }];
    const validity = { validFrom: '2020-01-01T00:00:00Z', validTo: '2020-02-01T00:00:00Z' };
    await wallet.admin('POST', '/discounts', { playerId: 'p1', currency: 'EUR', discounts, ...validity });
    expect((await wallet.balance()).body.discountInfo).toBeUndefined();
    await wallet.transact('r1', [debit('d1', 100)]);
    expect(await wallet.real()).toBe(900);
  });

  test('bonus money is told with useBonusFirst, used first, and given back by the void', async () => {
    await wallet.admin('PUT', '/players/p1', { balance: 100, bonus: 30 });
    const { body } = await wallet.balance();
    expect(body).toMatchObject({
      useBonusFirst: true,
      balances: [
        { type: 'real', amount: 100 },
        { type: 'bonus', amount: 30 },
      ],
    });
    const taken = await wallet.transact('r1', [debit('d1', 50)]);
    expect(taken.body.balances).toEqual([{ type: 'real', amount: 80, currency: 'EUR' }]);
    const given = await wallet.transact('r1', [voidOf('d1')]);
    expect(given.body.balances?.map(({ amount }) => amount)).toEqual([100, 30]);
  });
});

describe('the journal', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wallet-'));
    await server.close();
    await start({ dataDir });
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const restart = async (): Promise<void> => {
    await server.close();
    await start({ dataDir });
  };

  test('after a restart: same balance, same idempotency, same marks', async () => {
    await wallet.admin('POST', '/tickets', {
      playerId: 'p1',
      gameCode: 'g1',
      currency: 'EUR',
      stake: 20,
      count: 3,
    });
    await wallet.transact('r1', [debit('d1', 300)]);
    await wallet.transact('r2', [voidOf('d2')]);
    await wallet.transact('r3', [debit('d3', 5_000)]);
    await restart();
    expect(await wallet.real()).toBe(700);
    expect((await wallet.transact('r1', [debit('d1', 300)])).status).toBe(200);
    expect((await wallet.transact('r2', [debit('d2', 10)])).status).toBe(400);
    expect((await wallet.transact('r3', [debit('d3', 5_000)])).body.errorCode?.id).toBe(INSUFFICIENTFUNDS);
    expect(await wallet.real()).toBe(700);
    expect((await wallet.balance('p1', 'EUR', 'g1')).body.tickets).toMatchObject([{ count: 3 }]);
  });

  test('a line torn by a crash is dropped, and the file goes on after it', async () => {
    await wallet.transact('r1', [debit('d1', 300)]);
    await server.close();
    const file = join(dataDir, 'wallet-ledger.jsonl');
    await appendFile(file, '{"operatorId":"op1","events":[{"kind":"mov');
    await start({ dataDir });
    expect(await wallet.real()).toBe(700);
    await wallet.transact('r1', [credit('c1', 5)]);
    await restart();
    expect(await wallet.real()).toBe(705);
    for (const line of (await readFile(file, 'utf8')).trimEnd().split('\n')) {
      expect(() => JSON.parse(line) as unknown).not.toThrow();
    }
  });
});
