import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import timers from 'node:timers/promises';
import {
  createOperatorClient,
  type DebugEntry,
  InterfaceError,
  LostResponse,
  ProviderClient,
} from '../../sdk';
import { gameStateHash, transactionHash } from '../../src/domain/hashes';

/** A service that answers from a script: what it was asked, and what the client made of the answers. */
interface Received {
  path: string;
  method: string;
  headers: IncomingMessage['headers'];
  raw: string;
  body: Record<string, unknown>;
}
type Scripted = { status: number; body: unknown; retryAfter?: string } | 'lost' | 'hang';

let server: Server;
let received: Received[];
let script: Record<string, Scripted[]>;
let baseUrl: string;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

beforeEach(async () => {
  received = [];
  script = {};
  server = createServer((request, response) => {
    void bodyOf(request).then((raw) => {
      const path = request.url?.split('?')[0] ?? '';
      const { method = '', headers } = request;
      const body = raw === '' ? {} : (JSON.parse(raw) as Record<string, unknown>);
      received.push({ path: request.url ?? '', method, headers, raw, body });
      const next = script[path]?.shift() ?? { status: 599, body: { unscripted: path } };
      if (next === 'hang') return;
      if (next === 'lost') return void response.destroy();
      const { retryAfter } = next;
      response.writeHead(next.status, {
        'Content-Type': 'application/json',
        ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
      });
      response.end(JSON.stringify(next.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

const provider = (more = {}) =>
  new ProviderClient({ baseUrl, providerId: 'gp1', secret: 's2', backoffMs: 1, timeoutMs: 1_000, ...more });
const paths = () => received.map(({ path }) => path);
const round = (status: string, more = {}) => ({
  status: 200,
  body: { gameRoundInfo: { hash: 'r1', status }, gameState: [], transactions: [], ...more },
});
const refused = (status: number, id: number) => ({
  status,
  body: { errorCode: { id, msg: 'X', clientmsg: 'x' } },
});
/** The round takes no more calls, and the reply says how it stands. */
const over = (status: string) => ({
  status: 400,
  body: { ...refused(400, 2000).body, gameRoundInfo: { hash: 'r1', status } },
});
const entry = (type: string, key: string, info = {}) => ({
  ...{ hash: gameStateHash('r1', type, key), type, amountWagered: 10, result: { winAmount: 50, info } },
});
const transaction = (type: string, key: string, amount?: number) => ({
  ...{ hash: transactionHash('r1', type, key), type, amount },
});
const tooMany = (retryAfter: string) => ({ ...refused(429, 1003), retryAfter });
const win = { token: 't', gameRound: 'r1', rngResult: { rngCallId: 'n1', winAmount: 50 } };
const stake = {
  token: 't',
  rngResult: { rngCallId: 'n0' },
  debitInformation: { debitAmount: 10, currency: 'EUR' },
};

describe('a call of a provider', () => {
  test('is signed over its body as sent, and has an X-Request-Id of its own', async () => {
    script['/getBalance'] = [
      { status: 200, body: { totalBalance: 5 } },
      { status: 200, body: { totalBalance: 6 } },
    ];
    expect(await provider().getBalance({ token: 't' })).toEqual({ totalBalance: 5 });
    await provider().getBalance({ token: 't' });
    for (const { headers, raw } of received) {
      const timestamp = String(headers['x-h-timestamp']);
      const expected = createHmac('sha256', 's2').update(`${raw}#${timestamp}`).digest('base64');
      expect(headers['x-h-auth-sig']).toBe(expected);
      expect(headers['x-h-auth-id']).toBe('gp1');
      expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(new Set(received.map(({ headers }) => headers['x-request-id'])).size).toBe(2);
  });

  test('an address with a slash at its end is the same address', async () => {
    script['/getBalance'] = [{ status: 200, body: { totalBalance: 5 } }];
    script['/registerPlayer'] = [{ status: 200, body: { isNew: true } }];
    await provider({ baseUrl: `${baseUrl}/` }).getBalance({ token: 't' });
    await createOperatorClient({ baseUrl: `${baseUrl}/`, operatorId: 'op1', secret: 's1' }).registerPlayer({
      playerId: 'p',
    });
    expect(paths()).toEqual(['/getBalance', '/registerPlayer']);
  });

  test('the message of a 401 has the hint of the reply', async () => {
    const hint = 'X-H-AUTH-SIG is wrong; signed: {}#2026';
    const body = { errorCode: { id: 1001, msg: 'SIGNATUREWRONG', clientmsg: '' }, hint };
    script['/getBalance'] = [{ status: 401, body }];
    script['/registerPlayer'] = [{ status: 401, body }];
    const message = (path: string) => `${path}: 401 SIGNATUREWRONG: ${hint}`;
    await expect(provider().getBalance({ token: 't' })).rejects.toThrow(message('/getBalance'));
    const operator = createOperatorClient({ baseUrl, operatorId: 'op1', secret: 's1' });
    await expect(operator.registerPlayer({ playerId: 'p' })).rejects.toThrow(message('/registerPlayer'));
  });

  test('4xx is told and not retried', async () => {
    script['/endGameRound'] = [refused(400, 2000)];
    const call = provider().endGameRound({ token: 't', gameRound: 'r1' });
    await expect(call).rejects.toMatchObject({ status: 400, errorCode: { id: 2000 } });
    expect(paths()).toEqual(['/endGameRound']);
  });

  test('5xx is retried under the same transaction id and another X-Request-Id', async () => {
    script['/addWin'] = [refused(503, 3001), refused(500, 1004), round('open')];
    await provider().addWin(win);
    expect(paths()).toEqual(['/addWin', '/addWin', '/addWin']);
    const ids = received.map(({ body }) => body['externalGameProviderTransactionId']);
    expect(new Set(ids).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
  });

  test.each<[string, (client: ProviderClient) => Promise<unknown>]>([
    ['/startGameRound', (client) => client.startGameRound(stake)],
    ['/addWin', (client) => client.addWin(win)],
    ['/getBalance', (client) => client.getBalance({ token: 't' })],
    [
      '/getRandomResult',
      (client) =>
        client.getRandomResult({
          token: 't',
          rngEndPoint: 'getDoubles',
          rngPayload: { count: 3, min: 0, max: 1 },
        }),
    ],
  ])('429 to %s: the same call again, as nothing was carried out', async (path, call) => {
    script[path] = [tooMany('0'), round('open')];
    await call(provider());
    expect(paths()).toEqual([path, path]);
    expect(received[1]?.raw).toBe(received[0]?.raw);
  });

  test('429 to the last: told as the refusal that it is, and nothing is asked', async () => {
    script['/startGameRound'] = Array<Scripted>(9).fill(tooMany('0'));
    await expect(provider().startGameRound(stake)).rejects.toMatchObject({ status: 429, retryAfterMs: 0 });
    expect(paths()).toEqual(Array(4).fill('/startGameRound'));
  });

  test.each([
    ['1', 1_000, 1_000],
    ['3600', 3_600_000, 10_000],
    ['soon', 0, 40],
  ])('Retry-After: %s is honoured, up to 10 s', async (retryAfter, retryAfterMs, pause) => {
    const pauses = jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
    script['/addWin'] = [tooMany(retryAfter), round('open')];
    await provider({ backoffMs: 40 }).addWin(win);
    expect(pauses.mock.calls).toEqual([[pause]]);
    pauses.mockRestore();
    script['/addWin'] = [tooMany(retryAfter)];
    await expect(provider({ maxAttempts: 1 }).addWin(win)).rejects.toMatchObject({ retryAfterMs });
  });

  test('a service that is not there at all: nothing was sent', async () => {
    await new Promise((resolve) => server.close(resolve));
    const call = provider({ maxAttempts: 2 }).startGameRound(stake);
    await expect(call).rejects.toMatchObject({ name: 'LostResponse', neverSent: true });
  });

  test('a redirect is no success and is not followed', async () => {
    script['/getBalance'] = [{ status: 307, body: {} }];
    await expect(provider().getBalance({ token: 't' })).rejects.toBeInstanceOf(InterfaceError);
    expect(received).toHaveLength(1);
  });
});

describe('startGameRound', () => {
  test('names the round itself where the caller does not, in at most 32 characters', async () => {
    script['/startGameRound'] = [round('open')];
    await provider().startGameRound(stake);
    expect(received[0]?.body['externalGameProviderRoundId']).toMatch(/^[0-9a-f]{32}$/);
  });

  const bet = (more = {}) => ({ ...stake, externalGameProviderRoundId: 'x', ...more });
  const withBet = { gameState: [entry('debit', 'start', { rngCallId: 'n0' })] };

  test.each(['lost', 'hang'] as const)('reply %s: it asks, and the bet is found', async (how) => {
    script['/startGameRound'] = [how];
    script['/getGameRoundInfo'] = [round('open', withBet)];
    const reply = await provider({ timeoutMs: 200 }).startGameRound(bet());
    expect(reply.gameRoundInfo.status).toBe('open');
    expect(paths()).toEqual(['/startGameRound', '/getGameRoundInfo']);
    expect(received[1]?.body).toEqual({ token: 't', externalGameProviderRoundId: 'x' });
  });

  test('lost, and no round was started: the same call under the same ids', async () => {
    script['/startGameRound'] = ['lost', round('open', withBet)];
    script['/getGameRoundInfo'] = [refused(400, 15)];
    await provider().startGameRound(stake);
    expect(paths()).toEqual(['/startGameRound', '/getGameRoundInfo', '/startGameRound']);
    expect(received[2]?.raw).toBe(received[0]?.raw);
  });

  test('an open round without its debit is no success yet: the same call waits for the outcome', async () => {
    script['/startGameRound'] = ['lost', refused(400, 77)];
    script['/getGameRoundInfo'] = [round('open')];
    await expect(provider().startGameRound(bet())).rejects.toMatchObject({ errorCode: { id: 77 } });
  });

  test('lost, and the round is cancelled: the refusal is told', async () => {
    script['/startGameRound'] = ['lost', over('cancel')];
    script['/getGameRoundInfo'] = [round('cancel', withBet), round('cancel', withBet)];
    await expect(provider().startGameRound(bet())).rejects.toMatchObject({ errorCode: { id: 2000 } });
  });

  test('with endGame, lost, and found open: only the same call is sent', async () => {
    script['/startGameRound'] = ['lost', round('closed')];
    script['/getGameRoundInfo'] = [round('open', withBet)];
    await provider().startGameRound(bet({ endGame: true }));
    expect(paths()).toEqual(['/startGameRound', '/getGameRoundInfo', '/startGameRound']);
  });

  test('with endGame, lost, and found closed by it: what it paid', async () => {
    script['/startGameRound'] = ['lost'];
    const transactions = [transaction('credit', 'start', 70), transaction('end', 'start')];
    script['/getGameRoundInfo'] = [round('closed', { ...withBet, transactions })];
    expect(await provider().startGameRound(bet({ endGame: true }))).toMatchObject({ amountCredited: 70 });
  });

  test('with another stake, lost, it is not the bet of that name', async () => {
    script['/startGameRound'] = ['lost', refused(400, 2002)];
    script['/getGameRoundInfo'] = [round('open', withBet)];
    const call = provider().startGameRound(bet({ debitInformation: { debitAmount: 20, currency: 'EUR' } }));
    await expect(call).rejects.toMatchObject({ errorCode: { id: 2002 } });
  });

  test('a follow-up debit, lost, is found by its own rngCallId only', async () => {
    const followUp = (id: string) => bet({ rngResult: { rngCallId: id } });
    const gameState = [...withBet.gameState, entry('debit', 'debit:n1', { rngCallId: 'n1' })];
    script['/startGameRound'] = ['lost', 'lost', round('open')];
    script['/getGameRoundInfo'] = [round('open', { gameState }), round('open', { gameState })];
    await provider().startGameRound(followUp('n1'));
    expect(paths()).toEqual(['/startGameRound', '/getGameRoundInfo']);
    await provider().startGameRound(followUp('n2'));
    expect(paths().slice(2)).toEqual(['/startGameRound', '/getGameRoundInfo', '/startGameRound']);
  });

  test('502 WALLETUNAVAILABLE about the round is final: the bet is given back', async () => {
    const body = { ...refused(502, 3000).body, gameRoundInfo: { hash: 'r1', status: 'cancel' } };
    script['/startGameRound'] = [{ status: 502, body }];
    await expect(provider().startGameRound(stake)).rejects.toMatchObject({ status: 502 });
    expect(paths()).toEqual(['/startGameRound']);
  });
});

describe('addWin, reply lost', () => {
  const named = { ...win, externalGameProviderTransactionId: 'w1' };
  const withWin = { gameState: [entry('genericwin', 'addWin:transaction:w1')] };
  const ended = { transactions: [transaction('end', 'addWin:transaction:w1')] };

  test.each(['open', 'closed'])('%s with the win: success, and nothing else is sent', async (status) => {
    script['/addWin'] = ['lost'];
    script['/getGameRoundInfo'] = [round(status, withWin)];
    expect((await provider().addWin(named)).gameRoundInfo.status).toBe(status);
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo']);
  });

  test('an id in the form of a UUID is the same one in capitals', async () => {
    const id = '0B9C2D52-9F0B-4C3E-8B7A-3D1C1A2B3C4D';
    script['/addWin'] = ['lost'];
    const gameState = [entry('genericwin', `addWin:transaction:${id.toLowerCase()}`)];
    script['/getGameRoundInfo'] = [round('open', { gameState })];
    await provider().addWin({ ...win, externalGameProviderTransactionId: id });
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo']);
  });

  test('open with another win of the same amount: the same call again', async () => {
    script['/addWin'] = ['lost', round('open', withWin)];
    const gameState = [entry('genericwin', 'addWin:transaction:w0')];
    script['/getGameRoundInfo'] = [round('open', { gameState })];
    await provider().addWin(named);
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo', '/addWin']);
    expect(received[2]?.raw).toBe(received[0]?.raw);
  });

  test('with collect, and the win there but not paid: the same call again', async () => {
    script['/addWin'] = ['lost', round('closed', { amountCredited: 50 })];
    script['/getGameRoundInfo'] = [round('open', withWin)];
    expect(await provider().addWin({ ...named, collect: true })).toMatchObject({ amountCredited: 50 });
  });

  test('refused after a 5xx: the refusal may be the repeat’s only, so it asks', async () => {
    script['/addWin'] = [refused(500, 1004), over('closed')];
    const credit = transaction('credit', 'addWin:transaction:w1', 50);
    script['/getGameRoundInfo'] = [
      round('closed', { ...withWin, transactions: [credit, ...ended.transactions] }),
    ];
    expect(await provider().addWin({ ...named, collect: true })).toMatchObject({ amountCredited: 50 });
  });

  test('sent again by the game, and the round is over: a success if it is in it', async () => {
    script['/addWin'] = Array<Scripted>(3).fill(over('closed'));
    script['/getGameRoundInfo'] = [round('closed', withWin), round('closed', withWin)];
    expect((await provider().addWin(named)).gameRoundInfo.status).toBe('closed');
    const other = { ...named, rngResult: { ...win.rngResult, winAmount: 60 } };
    await expect(provider().addWin(other)).rejects.toMatchObject({ errorCode: { id: 2000 } });
    // Named by the client: it is new.
    await expect(provider().addWin(win)).rejects.toMatchObject({ errorCode: { id: 2000 } });
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo', '/addWin', '/getGameRoundInfo', '/addWin']);
  });

  test('refused after a 5xx and not in the round: told with the round and the ids', async () => {
    script['/addWin'] = [refused(500, 1004), over('closed')];
    script['/getGameRoundInfo'] = [round('closed')];
    await expect(provider().addWin(named)).rejects.toMatchObject({
      ...{ name: 'LostResponse', neverSent: false, cause: { errorCode: { id: 2000 } } },
      ...{ ids: { externalGameProviderTransactionId: 'w1' }, round: { gameRoundInfo: { status: 'closed' } } },
      message:
        '/addWin: the outcome is not known. The round takes no more calls, and it does not show this one. Look at the round of this error.',
    });
  });

  test('refused after a 5xx, and the round cannot be had', async () => {
    script['/addWin'] = [refused(500, 1004), refused(400, 2012)];
    const call = provider().addWin(named);
    await expect(call).rejects.toThrow('Ask getGameRoundInfo whether it has this one');
  });

  test.each([401, 429])('%s after a 5xx: no word about the first attempt', async (status) => {
    script['/addWin'] = [refused(500, 1004), ...Array<Scripted>(3).fill(refused(status, 1001))];
    await expect(provider().addWin(named)).rejects.toMatchObject({ name: 'LostResponse', cause: { status } });
  });

  test('5xx to the last: the ids to send it under again', async () => {
    script['/addWin'] = Array<Scripted>(4).fill(refused(503, 3001));
    const error: unknown = await provider()
      .addWin(win)
      .catch((thrown: unknown) => thrown);
    const id = received[0]?.body['externalGameProviderTransactionId'];
    expect(error).toMatchObject({ name: 'LostResponse', ids: { externalGameProviderTransactionId: id } });
    expect((error as Error).message).toContain('Send the same call again, with the ids of this error.');
    expect(paths()).toEqual(Array(4).fill('/addWin'));
  });

  test('a 200 that is no reply of the service is no answer', async () => {
    script['/addWin'] = [{ status: 200, body: [] }, round('open')];
    await provider().addWin(named);
    expect(paths()).toEqual(['/addWin', '/addWin']);
  });
});

describe('endGameRound and voidGameRound, reply lost', () => {
  const named = { token: 't', gameRound: 'r1', externalGameProviderTransactionId: 'e1' };
  const endedBy = (id: string) => ({
    transactions: [
      transaction('credit', `end:transaction:${id}`, 500),
      transaction('end', `end:transaction:${id}`),
    ],
  });

  test('closed by it: what it paid', async () => {
    script['/endGameRound'] = ['lost'];
    script['/getGameRoundInfo'] = [round('closed', { ...endedBy('e1'), amountCredited: 0 })];
    expect(await provider().endGameRound(named)).toMatchObject({ amountCredited: 500 });
  });

  test('closed by another call: no success', async () => {
    script['/endGameRound'] = ['lost', over('closed')];
    script['/getGameRoundInfo'] = Array<Scripted>(2).fill(round('closed', endedBy('e2')));
    await expect(provider().endGameRound(named)).rejects.toBeInstanceOf(LostResponse);
  });

  test('open: called again', async () => {
    script['/endGameRound'] = ['lost', round('closed')];
    script['/getGameRoundInfo'] = [round('open')];
    await provider().endGameRound({ token: 't', gameRound: 'r1' });
    expect(paths()).toEqual(['/endGameRound', '/getGameRoundInfo', '/endGameRound']);
  });

  test('a void succeeds once each bet is given back, and not in a closed round', async () => {
    const bets = [transaction('debit', 'start'), transaction('debit', 'debit:n1')];
    const back = bets.map(({ hash }) => ({ type: 'void', hash }));
    const voidIt = () => provider({ maxAttempts: 1 }).voidGameRound({ token: 't', gameRound: 'r1' });
    script['/voidGameRound'] = ['lost', 'lost', 'lost'];
    script['/getGameRoundInfo'] = [
      round('cancel', { transactions: [...bets, ...back] }),
      round('cancel', { transactions: [...bets, back[0]] }),
      round('closed', { transactions: [] }),
    ];
    expect((await voidIt()).gameRoundInfo.status).toBe('cancel');
    await expect(voidIt()).rejects.toBeInstanceOf(LostResponse);
    await expect(voidIt()).rejects.toBeInstanceOf(LostResponse);
  });

  test('it ends: a service that loses every reply is asked a bounded number of times', async () => {
    script['/endGameRound'] = Array<Scripted>(50).fill('lost');
    script['/getGameRoundInfo'] = Array<Scripted>(50).fill(round('open'));
    await expect(provider().endGameRound({ token: 't', gameRound: 'r1' })).rejects.toBeInstanceOf(
      LostResponse,
    );
    expect(received.length).toBeLessThanOrEqual(8);
  });
});

test('a random draw whose reply was lost is not asked for again', async () => {
  script['/getRandomResult'] = ['lost'];
  const draw = provider().getRandomResult({
    token: 't',
    rngEndPoint: 'getDoubles',
    rngPayload: { count: 3, min: 0, max: 1 },
  });
  await expect(draw).rejects.toBeInstanceOf(LostResponse);
  expect(received).toHaveLength(1);
});

describe('calls of an operator', () => {
  const operator = () => createOperatorClient({ baseUrl, operatorId: 'op1', secret: 's1', backoffMs: 1 });
  const cases: [
    string,
    string,
    string,
    (client: ReturnType<typeof operator>) => Promise<unknown>,
    string[],
  ][] = [
    [
      'POST',
      '/getGameURL',
      '',
      (client) => client.getGameURL({ playerId: 'p1', currency: 'EUR', gameCode: 'g1', mode: 'real' }),
      ['p1', 'EUR', 'g1', 'real'],
    ],
    [
      'POST',
      '/getGameURL',
      '',
      (client) => client.getGameURL({ currency: 'EUR', gameCode: 'g1', mode: 'demo' }),
      ['EUR', 'g1', 'demo'],
    ],
    [
      'POST',
      '/reconcileTransactions',
      '',
      (client) => client.reconcileTransactions({ gameRound: 'r1' }),
      ['r1'],
    ],
    [
      'GET',
      '/getGameRoundDetails',
      '?playerId=p+1&gameRound=r1',
      (client) => client.getGameRoundDetails({ playerId: 'p 1', gameRound: 'r1' }),
      ['p 1', 'r1'],
    ],
    [
      'POST',
      '/getGameRoundReport',
      '',
      (client) => client.getGameRoundReport({ playerId: 'p1', gameRound: 'r1' }),
      ['p1', 'r1'],
    ],
    [
      'GET',
      '/backoffice/getGameConfiguration',
      '?gameCode=g1&currency=EUR',
      (client) => client.getGameConfiguration({ gameCode: 'g1', currency: 'EUR' }),
      ['g1', 'EUR'],
    ],
    ['GET', '/getGameList', '', (client) => client.getGameList(), []],
    ['POST', '/registerPlayer', '', (client) => client.registerPlayer({ playerId: 'p1' }), ['p1']],
  ];

  test.each(cases)('%s %s%s', async (method, path, query, call, fields) => {
    script[path] = [{ status: 200, body: { ok: true } }];
    expect(await call(operator())).toEqual({ ok: true });
    const [{ headers, ...seen }] = received as [Received];
    expect([seen.method, seen.path]).toEqual([method, path + query]);
    const message = ['s1', 'op1', String(headers['x-h-timestamp']), ...fields].join('#');
    expect(headers['x-h-auth-sig']).toBe(createHmac('sha256', 's1').update(message).digest('base64'));
  });

  test('5xx and 429 are retried, and a lost reply is told', async () => {
    script['/registerPlayer'] = [refused(500, 1004), tooMany('0'), { status: 200, body: { isNew: false } }];
    expect(await operator().registerPlayer({ playerId: 'p1' })).toEqual({ isNew: false });
    expect(new Set(received.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
    script['/registerPlayer'] = ['lost'];
    await expect(operator().registerPlayer({ playerId: 'p1' })).rejects.toBeInstanceOf(LostResponse);
  });

  test('a refusal is an InterfaceError with status, errorCode and body', async () => {
    script['/registerPlayer'] = [refused(401, 1001)];
    await expect(operator().registerPlayer({ playerId: 'p1' })).rejects.toMatchObject({
      status: 401,
      errorCode: { id: 1001, msg: 'X' },
    });
  });
});

describe('debug', () => {
  const told = (secret: string) => {
    const entries: DebugEntry[] = [];
    return { entries, options: { secret, debug: (entry: DebugEntry) => void entries.push(entry) } };
  };

  test('tells each request of a provider, and what was signed', async () => {
    script['/addWin'] = [refused(503, 3001), 'lost'];
    const gameState = [entry('genericwin', 'addWin:transaction:w1')];
    script['/getGameRoundInfo'] = [round('closed', { gameState })];
    const { entries, options } = told('s2');
    await provider(options).addWin({ ...win, externalGameProviderTransactionId: 'w1' });
    expect(entries.map(({ method, url, status }) => [method, url, status])).toEqual([
      ['POST', `${baseUrl}/addWin`, 503],
      ['POST', `${baseUrl}/addWin`, undefined],
      ['POST', `${baseUrl}/getGameRoundInfo`, 200],
    ]);
    const signed = received.map(({ raw, headers }) => `${raw}#${String(headers['x-h-timestamp'])}`);
    expect(entries.map((entry) => entry.signed)).toEqual(signed);
    expect(entries.map(({ reply }) => reply)).toEqual([
      refused(503, 3001).body,
      undefined,
      round('closed', { gameState }).body,
    ]);
    for (const { durationMs } of entries) expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  test('of an operator, without the secret', async () => {
    script['/registerPlayer'] = [{ status: 200, body: {} }];
    const { entries, options } = told('operators-secret');
    await createOperatorClient({ baseUrl, operatorId: 'op1', ...options }).registerPlayer({ playerId: 'p1' });
    const timestamp = String(received[0]?.headers['x-h-timestamp']);
    expect(entries).toMatchObject([{ method: 'POST', status: 200, signed: `<secret>#op1#${timestamp}#p1` }]);
    expect(JSON.stringify(entries)).not.toContain('operators-secret');
  });

  test('changes nothing about a call when it fails itself', async () => {
    script['/getBalance'] = [{ status: 200, body: { totalBalance: 5 } }];
    const debug = () => {
      throw new Error('disk full');
    };
    expect(await provider({ debug }).getBalance({ token: 't' })).toEqual({ totalBalance: 5 });
    expect(received).toHaveLength(1);
  });
});
