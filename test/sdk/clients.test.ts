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
  body: { gameRoundInfo: { hash: 'r1', status }, gameState: [], ...more },
});
const refused = (status: number, id: number) => ({
  status,
  body: { errorCode: { id, msg: 'X', clientmsg: 'x' } },
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

  test.each(['lost', 'hang'] as const)('reply %s: it asks, and never sends the debit again', async (how) => {
    script['/startGameRound'] = [how];
    script['/getGameRoundInfo'] = [round('open')];
    const reply = await provider({ timeoutMs: 200 }).startGameRound({
      ...stake,
      externalGameProviderRoundId: 'x',
    });
    expect(reply.gameRoundInfo?.status).toBe('open');
    expect(paths()).toEqual(['/startGameRound', '/getGameRoundInfo']);
    expect(received[1]?.body).toEqual({ token: 't', externalGameProviderRoundId: 'x' });
  });

  test('lost, and no round was started: the caller is told that there was no reply', async () => {
    script['/startGameRound'] = ['lost'];
    script['/getGameRoundInfo'] = [refused(400, 15)];
    await expect(provider().startGameRound(stake)).rejects.toBeInstanceOf(LostResponse);
    expect(paths()).toEqual(['/startGameRound', '/getGameRoundInfo']);
  });

  test('lost, and the round is cancelled: no success', async () => {
    script['/startGameRound'] = ['lost'];
    script['/getGameRoundInfo'] = [round('cancel')];
    await expect(provider().startGameRound(stake)).rejects.toBeInstanceOf(LostResponse);
  });

  test('with endGame, lost, and found open with partial processing: endGameRound cleans up', async () => {
    script['/startGameRound'] = ['lost'];
    script['/getGameRoundInfo'] = [round('open')];
    script['/endGameRound'] = [round('closed')];
    const reply = await provider().startGameRound({ ...stake, endGame: true });
    expect(reply.gameRoundInfo?.status).toBe('closed');
    expect(paths()).toEqual(['/startGameRound', '/getGameRoundInfo', '/endGameRound']);
  });

  test('a further debit, lost, counts as taken only when the round has one more', async () => {
    const debits = (count: number) => round('open', { transactions: Array(count).fill({ type: 'debit' }) });
    script['/startGameRound'] = ['lost', 'lost'];
    script['/getGameRoundInfo'] = [debits(1), debits(2)];
    await expect(provider().startGameRound({ ...stake, debitsBefore: 1 })).rejects.toBeInstanceOf(
      LostResponse,
    );
    await expect(provider().startGameRound({ ...stake, debitsBefore: 1 })).resolves.toBeDefined();
    expect(received[0]?.body).not.toHaveProperty('debitsBefore');
  });
});

describe('addWin, reply lost', () => {
  const withWin = { gameState: [{ hash: 'g', type: 'genericwin', result: { winAmount: 50 } }] };

  test('closed with the expected win: success, nothing is repeated', async () => {
    script['/addWin'] = ['lost'];
    script['/getGameRoundInfo'] = [round('closed', withWin)];
    expect((await provider().addWin({ ...win, collect: true })).gameRoundInfo?.status).toBe('closed');
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo']);
  });

  test('open with the win: closed by endGameRound', async () => {
    script['/addWin'] = ['lost'];
    script['/getGameRoundInfo'] = [round('open', withWin)];
    script['/endGameRound'] = [round('closed')];
    expect((await provider().addWin({ ...win, collect: true })).gameRoundInfo?.status).toBe('closed');
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo', '/endGameRound']);
  });

  test('open without the win: the same win again, so that the player does not lose it', async () => {
    script['/addWin'] = ['lost', round('closed')];
    script['/getGameRoundInfo'] = [round('open')];
    await provider().addWin({ ...win, collect: true });
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo', '/addWin']);
    expect(received[2]?.body).toEqual(received[0]?.body);
  });

  test('closed without the win: no success', async () => {
    script['/addWin'] = ['lost'];
    script['/getGameRoundInfo'] = [round('closed', { gameState: [] })];
    await expect(provider().addWin(win)).rejects.toBeInstanceOf(LostResponse);
  });

  test('the expected total decides between two wins of the same amount', async () => {
    script['/addWin'] = ['lost', round('open')];
    script['/getGameRoundInfo'] = [round('open', { ...withWin, totalWinAmount: 50 })];
    await provider().addWin({ ...win, expectedTotalWinAmount: 100 });
    expect(paths()).toEqual(['/addWin', '/getGameRoundInfo', '/addWin']);
    expect(received[0]?.body).not.toHaveProperty('expectedTotalWinAmount');
  });

  test('refused after a 5xx: the refusal may be the repeat’s only, so it asks', async () => {
    script['/addWin'] = [refused(500, 1004), refused(400, 2000)];
    script['/getGameRoundInfo'] = [round('closed', withWin)];
    expect((await provider().addWin({ ...win, collect: true })).gameRoundInfo?.status).toBe('closed');
  });

  test('refused after a 5xx and not in the round: the refusal is told', async () => {
    script['/addWin'] = [refused(500, 1004), refused(400, 2000)];
    script['/getGameRoundInfo'] = [round('closed', { gameState: [] })];
    await expect(provider().addWin(win)).rejects.toMatchObject({ status: 400, errorCode: { id: 2000 } });
  });
});

describe('endGameRound and voidGameRound, reply lost', () => {
  test('closed: success', async () => {
    script['/endGameRound'] = ['lost'];
    script['/getGameRoundInfo'] = [round('closed')];
    expect((await provider().endGameRound({ token: 't', gameRound: 'r1' })).gameRoundInfo?.status).toBe(
      'closed',
    );
  });

  test('open: called again', async () => {
    script['/endGameRound'] = ['lost', round('closed')];
    script['/getGameRoundInfo'] = [round('open')];
    await provider().endGameRound({ token: 't', gameRound: 'r1' });
    expect(paths()).toEqual(['/endGameRound', '/getGameRoundInfo', '/endGameRound']);
  });

  test('a void found cancelled: success; found closed: no success', async () => {
    script['/voidGameRound'] = ['lost', 'lost'];
    script['/getGameRoundInfo'] = [round('cancel'), round('closed')];
    const voidIt = () => provider().voidGameRound({ token: 't', gameRound: 'r1' });
    expect((await voidIt()).gameRoundInfo?.status).toBe('cancel');
    await expect(voidIt()).rejects.toBeInstanceOf(LostResponse);
  });

  test('it ends: a service that loses every reply is asked a bounded number of times', async () => {
    script['/endGameRound'] = Array<Scripted>(50).fill('lost');
    script['/getGameRoundInfo'] = Array<Scripted>(50).fill(round('open'));
    await expect(provider().endGameRound({ token: 't', gameRound: 'r1' })).rejects.toBeInstanceOf(
      LostResponse,
    );
    expect(received.length).toBeLessThanOrEqual(6);
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
    script['/getGameRoundInfo'] = [round('closed', { totalWinAmount: 50 })];
    const { entries, options } = told('s2');
    await provider(options).addWin({ ...win, expectedTotalWinAmount: 50 });
    expect(entries.map(({ method, url, status }) => [method, url, status])).toEqual([
      ['POST', `${baseUrl}/addWin`, 503],
      ['POST', `${baseUrl}/addWin`, undefined],
      ['POST', `${baseUrl}/getGameRoundInfo`, 200],
    ]);
    const signed = received.map(({ raw, headers }) => `${raw}#${String(headers['x-h-timestamp'])}`);
    expect(entries.map((entry) => entry.signed)).toEqual(signed);
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
