import { connect as connectSocket, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { parseJson } from '../../src/http/json';
import { HASH, providerCall, roundReply, sessionToken, start, startService, type Service } from './support';

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService();
  token = await sessionToken(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  Object.values(service.commands).forEach((command) => command.mockClear());
  service.commands.startGameRound.mockResolvedValue(roundReply());
  service.commands.addWin.mockResolvedValue(roundReply());
  service.commands.addSpinCounterGameState.mockResolvedValue(roundReply());
});

const startText = (debitAmount: string): string =>
  `{"token":"${token}","rngResult":{},"debitInformation":{"debitAmount":${debitAmount},"currency":"EUR"}}`;

describe('amounts', () => {
  it.each([
    ['0', 0],
    ['250', 250],
    ['1.0', 1],
    ['1e2', 100],
    ['2500e-1', 250],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('%s is %d', async (written, amount) => {
    const reply = await providerCall(service, '/startGameRound', startText(written));
    expect(reply.status).toBe(200);
    const [command] = service.commands.startGameRound.mock.calls[0]!;
    expect(command.debitInformation.debitAmount).toBe(amount);
  });

  it.each([
    '0.5',
    '-1',
    '-0',
    '-0.0',
    '1e21',
    '1e400',
    '-1e400',
    '9007199254740992',
    '9007199254740993',
    '9007199254740991.4',
    '0.99999999999999999999',
    '1.00000000000000000001',
    '"100"',
    'null',
    'true',
    '[100]',
    '{}',
  ])('%s is refused by the name of its field, and nothing is sent', async (written) => {
    const reply = await providerCall(service, '/startGameRound', startText(written));
    expect(reply.status).toBe(400);
    expect(reply.body.errorCode).toMatchObject({
      id: 1000,
      msg: expect.stringMatching(/^INVALIDREQUEST: debitInformation\.debitAmount /) as unknown,
    });
    expect(service.commands.startGameRound).not.toHaveBeenCalled();
  });

  it.each(['NaN', 'Infinity', '+1', '01', '1.', '.5', '0x10', '1_000'])('%s is not JSON', async (written) => {
    const reply = await providerCall(service, '/startGameRound', startText(written));
    expect(reply.status).toBe(400);
  });

  it('of wins and collections obey the same rule', async () => {
    for (const [path, body, field] of [
      ['/addWin', { token, gameRound: HASH, rngResult: { winAmount: 0.5 } }, 'rngResult.winAmount'],
      ['/collectWin', { token, gameRound: HASH, amount: -1 }, 'amount'],
    ] as const) {
      const reply = await providerCall(service, path, body);
      expect([reply.status, reply.body.errorCode?.msg]).toEqual([
        400,
        expect.stringContaining(`: ${field} `),
      ]);
    }
  });
});

describe('required fields and types', () => {
  const spin = { counterType: 'customspin', rngResult: { result: { awarded: 1, used: 0 } } };
  it.each([
    ['/startGameRound', () => ({ ...start('t'), token: undefined }), 'token is required'],
    ['/startGameRound', () => ({ ...start('t'), rngResult: undefined }), 'rngResult is required'],
    [
      '/startGameRound',
      () => ({ ...start('t'), debitInformation: undefined }),
      'debitInformation is required',
    ],
    [
      '/startGameRound',
      () => start('t', { debitInformation: { debitAmount: 1 } }),
      'debitInformation.currency is required',
    ],
    [
      '/startGameRound',
      () => start('t', { debitInformation: { currency: 'EUR' } }),
      'debitInformation.debitAmount is required',
    ],
    ['/startGameRound', () => start('t', { endGame: 'true' }), 'endGame must'],
    ['/startGameRound', () => start('t', { closeOpenGame: null }), 'closeOpenGame must'],
    ['/startGameRound', () => start('t', { rngResult: { result: {} } }), 'rngResult.result must'],
    [
      '/startGameRound',
      () => start('t', { externalGameProviderRoundId: 'x'.repeat(33) }),
      'externalGameProviderRoundId must',
    ],
    ['/startGameRound', () => start('t', { rngResult: { rngCallId: 'a#b' } }), 'rngResult.rngCallId must'],
    [
      '/startGameRound',
      () => start('t', { rngResult: { rngCallId: 'a\u0000b' } }),
      'rngResult.rngCallId must',
    ],
    ['/startGameRound', () => start('t', { rngResult: { rngCallId: 'a\nb' } }), 'rngResult.rngCallId must'],
    ['/startGameRound', () => start('t', { rngResult: { rngCallId: '\ud800' } }), 'rngResult.rngCallId must'],
    ['/startGameRound', () => start('t', { rngResult: { rngCallId: '' } }), 'rngResult.rngCallId must'],
    [
      '/startGameRound',
      () => start('t', { rngResult: { result: 'x'.repeat(16_385) } }),
      'rngResult.result must',
    ],
    ['/addWin', () => ({ token: 't', rngResult: {} }), 'gameRound is required'],
    ['/addWin', () => ({ token: 't', gameRound: 'r' }), 'rngResult is required'],
    [
      '/addWin',
      () => ({ token: 't', gameRound: 'r', rngResult: { betData: { a: 1 } } }),
      'rngResult.betData.a must',
    ],
    [
      '/addWin',
      () => ({
        token: 't',
        gameRound: 'r',
        rngResult: { betData: { a: 'x'.repeat(9_000), b: 'x'.repeat(9_000) } },
      }),
      'rngResult.betData must',
    ],
    ['/endGameRound', () => ({ token: 't' }), 'gameRound is required'],
    ['/endGameRound', () => ({ gameRound: 'r' }), 'token is required'],
    [
      '/endGameRound',
      () => ({ token: 't', gameRound: 'r', externalGameProviderTransactionId: 5 }),
      'externalGameProviderTransactionId must',
    ],
    ['/collectWin', () => ({ token: 't' }), 'gameRound is required'],
    ['/voidGameRound', () => ({ token: 't' }), 'gameRound is required'],
    ['/getUncollectedAmount', () => ({ token: 't' }), 'gameRound is required'],
    ['/getTokenForGameRound', () => ({}), 'gameRound is required'],
    ['/getBalance', () => ({}), 'token is required'],
    ['/getBalance', () => [], 'the body must'],
    [
      '/addSpinCounterGameState',
      () => ({ token: 't', gameRound: 'r', ...spin, rngResult: { winAmount: 1 } }),
      'rngResult.winAmount must',
    ],
  ])('%s %#: %3$s', async (path, body, message) => {
    const reply = await providerCall(service, path, body());
    expect(reply.status).toBe(400);
    expect(reply.body.errorCode?.id).toBe(1000);
    expect(reply.body.errorCode?.msg).toContain(`INVALIDREQUEST: ${message}`);
  });

  it('ignores unknown fields, and needs no amount with a ticket', async () => {
    const body = start(token, {
      surprise: { anything: [1, null] },
      debitInformation: { currency: 'EUR', useTicketInfo: { useTicket: true, more: 1 } },
    });
    expect((await providerCall(service, '/startGameRound', body)).status).toBe(200);
    const [command] = service.commands.startGameRound.mock.calls[0]!;
    expect(command).not.toHaveProperty('surprise');
    expect(command).not.toHaveProperty('token');
    expect(command.debitInformation).toEqual({ currency: 'EUR', useTicketInfo: { useTicket: true } });
    expect(command).toMatchObject({ endGame: false, closeOpenGame: false });
  });
});

describe('JSON', () => {
  it.each([
    ['nothing', ''],
    ['a fragment', '{"token":'],
    ['a trailing comma', '{"token":"t",}'],
    ['a comment', '{"token":"t"/**/}'],
    ['single quotes', "{'token':'t'}"],
    ['a key twice with two values', '{"token":"t","token":"u"}'],
    ['__proto__', '{"token":"t","__proto__":{"gameRound":"r"}}'],
    ['__proto__ in escapes, deep inside', '{"a":[{"\\u005f_proto__":1}]}'],
    ['a byte order mark', '\ufeff{"token":"t"}'],
    ['a great depth', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['a greater depth', `{"a":${'['.repeat(400_000)}`],
    ['a control character in a string', '{"token":"a\u0001"}'],
  ])('refuses %s', async (_what, body) => {
    const reply = await providerCall(service, '/getBalance', body);
    expect([reply.status, reply.body.errorCode?.id]).toEqual([400, 1000]);
  });

  it('is UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toThrow(/well-formed/);
    expect(parseJson(Buffer.from('"é"'))).toBe('é');
  });

  it('leaves Object.prototype alone', async () => {
    await providerCall(service, '/getBalance', '{"constructor":{"prototype":{"polluted":1}},"token":"t"}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('bodies', () => {
  const MIB = 1_048_576;
  /** Of a known provider: from anybody else no body is read at all. */
  const claim = { 'x-h-auth-id': 'gp1', 'x-h-auth-sig': `${'A'.repeat(43)}=`, 'x-h-timestamp': 'x' };
  const head = `POST /testPing HTTP/1.1\r\nHost: x\r\n${Object.entries(claim)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}`;
  const padded = (bytes: number): string => `{"testData":"${'x'.repeat(bytes - 15)}"}`;

  it('may have 1 MiB, and not a byte more', async () => {
    expect((await providerCall(service, '/testPing', padded(MIB))).status).toBe(200);
    const reply = await providerCall(service, '/testPing', padded(MIB + 1)).catch(() => undefined);
    // The connection ends with the answer, so a client may see it break while it is still sending.
    if (reply !== undefined) expect([reply.status, reply.body.errorCode?.id]).toEqual([413, 1002]);
  });

  it('are refused by the length they declare, before they are sent', async () => {
    const seen = await converse(`${head}Content-Length: ${MIB + 1}\r\n\r\n`);
    expect(seen).toMatch(/^HTTP\/1\.1 413 .*REQUESTTOOLARGE/s);
  });

  it('are refused by what arrives when they declare nothing', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const seen = await converse(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`);
    expect(seen).toMatch(/^HTTP\/1\.1 413 .*REQUESTTOOLARGE/s);
  });

  it('may not be compressed', async () => {
    const response = await fetch(`${service.url}/testPing`, {
      method: 'POST',
      headers: { ...claim, 'content-encoding': 'gzip' },
      body: gzipSync('{}'),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('content-encoding');
  });

  it('that break off do nothing, and the same call again gets its answer', async () => {
    const body = JSON.stringify(start(token));
    const socket = connectSocket(Number(new URL(service.url).port), '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.write(
        `POST /startGameRound HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
        () => resolve(),
      );
    });
    socket.destroy();
    const reply = await providerCall(service, '/startGameRound', body);
    expect(reply.status).toBe(200);
    expect(service.commands.startGameRound).toHaveBeenCalledTimes(1);
  });

  it('whose caller is gone before the reply are carried out once', async () => {
    let finish: (() => void) | undefined;
    service.commands.startGameRound.mockImplementationOnce(
      () => new Promise((resolve) => (finish = () => resolve(roundReply()))),
    );
    const gone = new AbortController();
    const call = fetchSigned('/startGameRound', start(token), gone.signal);
    await until(() => finish !== undefined);
    gone.abort();
    await expect(call).rejects.toThrow();
    finish!();
    expect((await providerCall(service, '/startGameRound', start(token))).status).toBe(200);
    expect(service.log.filter((line) => line.includes('unexpected error'))).toEqual([]);
  });
});

async function fetchSigned(path: string, body: object, signal: AbortSignal): Promise<void> {
  const original = globalThis.fetch;
  globalThis.fetch = (url, options) => original(url, { ...options, signal });
  try {
    const call = providerCall(service, path, body);
    globalThis.fetch = original;
    await call;
  } finally {
    globalThis.fetch = original;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function converse(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const socket: Socket = connectSocket(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('data', (data) => (seen += data.toString()));
    socket.on('close', () => resolve(seen));
    socket.on('error', (error) => (seen === '' ? reject(error) : resolve(seen)));
    socket.write(text);
  });
}
