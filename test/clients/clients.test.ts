import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProviderClient } from '../../src/clients/game-provider';
import { createHttpClient, type HttpClient } from '../../src/clients/http';
import { createOperatorWallet } from '../../src/clients/operator-wallet';
import type { OperatorTransaction } from '../../src/domain/wallet-call';

/* What leaves for operators and providers, as it arrives there, and what is made of their answers. */

interface Seen {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

type Reply = (response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

let server: Server;
let url: string;
let http: HttpClient;
let seen: Seen[];
let reply: Reply;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({
        method: request.method ?? '',
        url: new URL(request.url ?? '', 'http://x'),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      reply(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  http = createHttpClient({ addresses: 'any' });
});
afterAll(async () => {
  await http.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
beforeEach(() => {
  seen = [];
  reply = json(200, {});
});

const operator = () => ({
  operatorId: 'op1',
  operatorUrl: `${url}/wallet/`,
  secrets: ['newest', 'old'],
  walletTimeoutMs: 500,
});
const provider = () => ({ providerId: 'gp1', gameUrl: `${url}/game`, secrets: ['newest', 'old'] });

/** docs/interface#sign-fields: base64(HMAC-SHA256(secret, secret # id # timestamp # fields)). */
function isSigned({ headers }: Seen, id: string, fields: string[]): boolean {
  const message = ['newest', id, String(headers['x-h-timestamp']), ...fields].join('#');
  return headers['x-h-auth-sig'] === createHmac('sha256', 'newest').update(message).digest('base64');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('every call', () => {
  const ask = () => createOperatorWallet(http).getBalance(operator(), { playerId: 'p1', currency: 'EUR' });

  test('carries the id, the time, and fresh X-Request-Id and X-Response-Id', async () => {
    const before = Date.now();
    await ask();
    await ask();
    for (const { headers } of seen) {
      expect(headers['x-h-auth-id']).toBe('op1');
      expect(headers['x-h-timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(String(headers['x-h-timestamp']))).toBeGreaterThanOrEqual(before);
      expect(headers['x-request-id']).toMatch(UUID);
      expect(headers['x-response-id']).toMatch(UUID);
    }
    expect(new Set(seen.map(({ headers }) => headers['x-request-id'])).size).toBe(2);
  });

  test('is signed with the newest secret', async () => {
    await ask();
    expect(isSigned(seen[0]!, 'op1', ['p1', 'EUR'])).toBe(true);
  });

  test('that gets no answer in time, half of one, an endless one or none is silence', async () => {
    const replies: Reply[] = [
      () => undefined,
      (response) => void response.writeHead(200, { 'content-length': '10' }).write('{'),
      (response) => void response.writeHead(200).end('x'.repeat(1024 * 1024 + 1)),
      (response) => void response.destroy(),
    ];
    for (const each of replies) {
      reply = each;
      expect(await ask()).toEqual({ kind: 'unavailable', reason: expect.any(String) as string });
    }
    expect(seen).toHaveLength(replies.length);
  });

  test('that is answered with a redirect does not follow it', async () => {
    reply = (response) => void response.writeHead(307, { location: `${url}/elsewhere` }).end('{}');
    expect(await ask()).toMatchObject({ kind: 'unavailable' });
    expect(seen.map(({ url: { pathname } }) => pathname)).toEqual(['/wallet/getBalance']);
  });
});

describe('POST /doTransactions', () => {
  const base = { currency: 'EUR', timestamp: '2026-01-02T03:04:05.000Z', reason: 'why' };
  const transactions: OperatorTransaction[] = [
    { ...base, type: 'debit', isFirstDebit: true, hash: 'h1', amount: 100 },
    { ...base, type: 'debit', isFirstDebit: false, hash: 'h2', serial: 'T-1' },
    { ...base, type: 'credit', hash: 'h3', amount: 0 },
    { ...base, type: 'end', hash: 'h4' },
    { ...base, type: 'void', hash: 'h1' },
  ];
  const send = () =>
    createOperatorWallet(http).doTransactions(operator(), {
      ...{ playerId: 'p1', gameCode: 'slot', gameRound: 'r1' },
      call: { purpose: 'credit', transactions },
    });

  test('has every field of the interface, transactions in their order, and how many they are', async () => {
    await send();
    const [{ method, url: to, body, headers }] = seen as [Seen];
    expect([method, to.pathname, headers['content-type']]).toEqual([
      'POST',
      '/wallet/doTransactions',
      'application/json',
    ]);
    expect(JSON.parse(body)).toEqual({
      ...{ playerId: 'p1', gameCode: 'slot', gameRound: 'r1', transactions, transactionCount: 5 },
    });
  });

  test('signs player, game, round, then each hash and its amount; none where it is absent or 0', async () => {
    await send();
    expect(isSigned(seen[0]!, 'op1', ['p1', 'slot', 'r1', 'h1', '100', 'h2', 'h3', 'h4', 'h1'])).toBe(true);
  });

  test('gives status and body as they came', async () => {
    reply = json(404, { errorCode: { id: 5, msg: 'X', clientmsg: '' } });
    expect(await send()).toEqual({
      ...{ kind: 'answer', status: 404, body: { errorCode: { id: 5, msg: 'X', clientmsg: '' } } },
    });
    reply = (response) => void response.writeHead(200).end('{"a":');
    expect(await send()).toEqual({ kind: 'answer', status: 200, body: undefined });
  });
});

describe('GET /getBalance of the operator', () => {
  const wallet = () => createOperatorWallet(http);
  const asked = { playerId: 'p 1&é', currency: 'EUR' };

  test('asks by player and currency, and signs them decoded', async () => {
    await wallet().getBalance(operator(), asked);
    const [call] = seen as [Seen];
    expect([call.method, call.url.pathname, Object.fromEntries(call.url.searchParams)]).toEqual([
      'GET',
      '/wallet/getBalance',
      asked,
    ]);
    expect(isSigned(call, 'op1', ['p 1&é', 'EUR'])).toBe(true);
  });

  test('with gameCode, which is then signed too, and externalSessionId, which is not', async () => {
    const more = { ...asked, gameCode: 'slot', externalSessionId: 's1' };
    await wallet().getBalance(operator(), more);
    expect(Object.fromEntries(seen[0]!.url.searchParams)).toEqual(more);
    expect(isSigned(seen[0]!, 'op1', ['p 1&é', 'EUR', 'slot'])).toBe(true);
  });

  test('takes every field of the operator balance reply that the interface can show', async () => {
    const balances = [
      { type: 'real', amount: -5, currency: 'EUR' },
      { type: 'bonus', amount: 7, currency: 'EUR' },
    ];
    const discountInfo = {
      ...{ text: 't', currency: 'EUR', campaignId: 'c', validFrom: '2026-01-01T00:00:00Z' },
      validTo: '2026-02-01T00:00:00Z',
      discounts: [{ stake: 100, absoluteDiscountAmount: 50, spinsRemaining: 2 }],
    };
    const ticket = { count: 1, stake: 5, currency: 'EUR', price: 0, feature: 'f', serial: 's' };
    const clientMessage = {
      ...{ title: 't', msg: 'm', buttons: [{ label: 'l', url: 'https://x.example' }], stopAutoPlay: true },
    };
    reply = json(200, {
      ...{ balances, discountInfo, useBonusFirst: true, clientMessage },
      ...{ tickets: [ticket], freePlays: [{ ...ticket, serial: 's2' }] },
    });
    // The game reply has no place for a clientMessage: it is taken, and left out.
    expect(await wallet().getBalance(operator(), asked)).toEqual({
      kind: 'balance',
      balance: {
        balances,
        discountInfo,
        useBonusFirst: true,
        tickets: [ticket, { ...ticket, serial: 's2' }],
      },
    });
  });

  test('an errorCode with id 0 and no msg is none', async () => {
    const balances = [{ type: 'real', amount: 5, currency: 'EUR' }];
    for (const errorCode of [null, { id: 0, msg: '', clientmsg: '' }]) {
      reply = json(200, { errorCode, balances });
      expect(await wallet().getBalance(operator(), asked)).toMatchObject({ kind: 'balance' });
    }
  });

  test('takes the balances of the currency that is asked for, and none of another', async () => {
    const euros = { type: 'real', amount: 5, currency: 'EUR' };
    const dollars = { type: 'real', amount: 100, currency: 'USD' };
    reply = json(200, { balances: [dollars, euros] });
    expect(await wallet().getBalance(operator(), asked)).toEqual({
      ...{ kind: 'balance', balance: { balances: [euros] } },
    });
    reply = json(200, { balances: [dollars] });
    expect(await wallet().getBalance(operator(), asked)).toEqual({
      ...{ kind: 'unavailable', reason: 'no balance in EUR in the reply', answered: true },
    });
  });

  test.each([
    [400, { errorCode: { id: 5, msg: 'NO', clientmsg: 'No.' } }, 'rejected'],
    [404, {}, 'rejected'],
    [200, { errorCode: { id: 5, msg: 'NO', clientmsg: 'No.' }, balances: [] }, 'rejected'],
    [408, {}, 'unavailable'],
    [500, { errorCode: { id: 5, msg: 'NO', clientmsg: 'No.' } }, 'unavailable'],
    [204, {}, 'unavailable'],
    [200, {}, 'unavailable'],
  ])('answered with %d %j: %s', async (status, body, kind) => {
    reply = json(status, body);
    expect(await wallet().getBalance(operator(), asked)).toMatchObject({ kind });
  });
});

describe('POST /doGameRoundReport', () => {
  const report = () => createOperatorWallet(http).doGameRoundReport(operator(), { hash: 'r1' });
  const errorCode = { id: 9, msg: 'NO', clientmsg: '' };

  test('is the detail, signed with no further fields', async () => {
    await report();
    const [call] = seen as [Seen];
    expect([call.method, call.url.pathname, JSON.parse(call.body)]).toEqual([
      'POST',
      '/wallet/doGameRoundReport',
      { gameRoundDetail: { hash: 'r1' } },
    ]);
    expect(isSigned(call, 'op1', [])).toBe(true);
  });

  test('an errorCode on a 200 is ignored unless X-H-ERROR-ID is set', async () => {
    reply = json(200, { errorCode, more: 'x' });
    await expect(report()).resolves.toBeUndefined();
    reply = json(200, { errorCode }, { 'x-h-error-id': '9' });
    await expect(report()).rejects.toThrow('200 with error 9 NO');
    reply = json(200, { errorCode: { id: 0, msg: '', clientmsg: '' } }, { 'x-h-error-id': '0' });
    await expect(report()).resolves.toBeUndefined();
  });

  test.each([400, 401, 404, 500, 302])('status %d: not taken, so it is sent again', async (status) => {
    reply = json(status, {});
    await expect(report()).rejects.toThrow(`status ${status}`);
  });
});

describe('calls to the game provider', () => {
  const client = () => createProviderClient(http);

  test('GET /getGameConfiguration: currency is signed, currencyMultiplier and gameCode go along', async () => {
    reply = json(200, { config: {}, gameCode: 'slot' });
    const query = { currency: 'JPY', currencyMultiplier: 0.1, gameCode: 'slot' };
    expect(await client().getGameConfiguration(provider(), query)).toEqual({ config: {}, gameCode: 'slot' });
    const [call] = seen as [Seen];
    expect([call.method, call.url.pathname, Object.fromEntries(call.url.searchParams)]).toEqual([
      'GET',
      '/game/getGameConfiguration',
      { currency: 'JPY', currencyMultiplier: '0.1', gameCode: 'slot' },
    ]);
    expect(isSigned(call, 'gp1', ['JPY'])).toBe(true);
  });

  test('POST /doAutoClose: round and settings, an id and a time, no signature and no token', async () => {
    const request = { gameRound: 'r1', gameSettings: { turboEnabled: true } };
    await client().doAutoClose(provider(), request);
    const [call] = seen as [Seen];
    expect([call.method, call.url.pathname, JSON.parse(call.body)]).toEqual([
      'POST',
      '/game/doAutoClose',
      request,
    ]);
    expect(call.headers).toMatchObject({
      'x-h-auth-id': 'gp1',
      'x-h-timestamp': expect.stringMatching(/Z$/) as string,
    });
    expect(call.headers).not.toHaveProperty('x-h-auth-sig');
  });

  test.each([201, 204, 302, 400, 500])('doAutoClose answered with %d: not closed', async (status) => {
    reply = (response) => void response.writeHead(status).end();
    await expect(client().doAutoClose(provider(), { gameRound: 'r1', gameSettings: {} })).rejects.toThrow(
      `the provider answered ${status}`,
    );
  });

  test('POST /getGameResult: the round is sent and signed; the answer becomes an object of strings', async () => {
    reply = json(200, { reels: 'A B', lines: [1, 2], win: 5, none: null });
    expect(await client().getGameResult(provider(), { gameRound: 'r1' })).toEqual({
      ...{ reels: 'A B', lines: '[1,2]', win: '5', none: 'null' },
    });
    const [call] = seen as [Seen];
    expect([call.method, call.url.pathname, JSON.parse(call.body)]).toEqual([
      'POST',
      '/game/getGameResult',
      { gameRound: 'r1' },
    ]);
    expect(isSigned(call, 'gp1', ['r1'])).toBe(true);
  });

  test('POST /doGetGameHistory: round, player and language are sent, the round is signed', async () => {
    reply = json(200, { reels: 'A' });
    const request = { gameRound: 'r1', playerId: 'p1', language: 'de' };
    expect(await client().doGetGameHistory(provider(), request)).toEqual({ reels: 'A' });
    const [call] = seen as [Seen];
    expect([call.url.pathname, JSON.parse(call.body)]).toEqual(['/game/doGetGameHistory', request]);
    expect(isSigned(call, 'gp1', ['r1'])).toBe(true);
  });

  test('an answer that is no object is none', async () => {
    reply = json(200, ['x']);
    await expect(client().getGameResult(provider(), { gameRound: 'r1' })).rejects.toThrow('object');
  });
});
