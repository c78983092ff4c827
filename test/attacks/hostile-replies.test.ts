import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createProviderClient } from '../../src/clients/game-provider';
import { createHttpClient, type HttpAnswer, type HttpClient } from '../../src/clients/http';
import { createOperatorWallet } from '../../src/clients/operator-wallet';
import { classifyWalletReply } from '../../src/domain/classify-wallet-reply';
import { createGameConfigurations } from '../../src/game-configuration';
import { callOf, FIRST_DELIVERY } from '../domain/wallet-reply-support';
import { agreedBooks, finished, refusalOf, STAKE } from '../support/player';
import { REPEATABLE_ERROR_ID, startRounds, type RoundsHarness } from '../support/rounds-harness';
import { sideBySide } from '../support/side-by-side';

/* Harmful replies of a wallet or a game. */

const TIMEOUT_MS = 1_000;
/** Upper bound of the data in the buffers of both ends when a reply is cut off. */
const MAX_TAKEN_BYTES = 24 * 1024 * 1024;

type Script = (socket: Socket, request: string) => void;

/** A server that answers each connection's first bytes by a script. */
class RawServer {
  readonly requests: string[] = [];
  written = 0;
  script: Script = () => undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    socket.once('data', (data) => {
      this.requests.push(data.toString());
      this.script(socket, data.toString());
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  start(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** Writes for ever, as fast as it is read. */
  pour(socket: Socket, chunk: string | Buffer): void {
    const more = (): void => {
      while (!socket.destroyed) {
        this.written += chunk.length;
        if (!socket.write(chunk)) return;
      }
    };
    socket.on('drain', more);
    more();
  }

  reset(script: Script): void {
    this.requests.length = 0;
    this.written = 0;
    this.script = script;
  }

  /** Resolves when no caller is connected any more. */
  async left(): Promise<void> {
    while (this.#sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  stop(): Promise<void> {
    this.#sockets.forEach((socket) => socket.destroy());
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const reply = (head: string, body: string | Buffer = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);
const JSON_200 = '200 OK\r\nContent-Type: application/json';
const TAKEN = '{"balances":[{"type":"real","amount":1,"currency":"EUR"}]}';
const KIB = 'x'.repeat(1_024);
/** 32 MiB in 32 KiB. */
const BOMB = gzipSync(KIB.repeat(32 * 1_024));

describe('a reply', () => {
  const server = new RawServer();
  const elsewhere = new RawServer();
  let http: HttpClient;
  beforeAll(async () => {
    await server.start();
    await elsewhere.start();
    elsewhere.reset((socket) => socket.end(reply(JSON_200, TAKEN)));
  });
  afterAll(async () => {
    await server.stop();
    await elsewhere.stop();
  });
  beforeEach(() => {
    http = createHttpClient({ addresses: 'any' });
  });
  afterEach(() => http.close());

  const ask = (): Promise<HttpAnswer> => {
    const operator = {
      operatorId: 'op1',
      operatorUrl: server.url,
      secrets: ['s'],
      walletTimeoutMs: TIMEOUT_MS,
    };
    const names = { playerId: 'p', gameCode: 'g', gameRound: 'r' };
    return createOperatorWallet(http).doTransactions(operator, { ...names, call: callOf('debit', 'debit') });
  };
  const outcomes = (answer: HttpAnswer): string[] => [
    classifyWalletReply(callOf('debit', 'debit'), answer, FIRST_DELIVERY).kind,
    classifyWalletReply(callOf('credit', 'credit', 'end'), answer, FIRST_DELIVERY).kind,
    classifyWalletReply(callOf('void', 'void'), answer, FIRST_DELIVERY).kind,
  ];
  /** Never judged as a bet taken or declined, nor as a win paid or refused. */
  const UNKNOWN = ['unknown', 'retryable', 'retryable'];

  const scripts: [what: string, script: Script][] = [
    ...[301, 302, 303, 307, 308].map((status): [string, Script] => [
      `a redirect, ${status}`,
      (socket) => socket.end(reply(`${status} Moved\r\nLocation: ${elsewhere.url}/doTransactions`, TAKEN)),
    ]),
    ['a bomb', (socket) => socket.end(reply(`${JSON_200}\r\nContent-Encoding: gzip`, BOMB))],
    [
      'shorter than announced',
      (socket) => socket.end(`HTTP/1.1 ${JSON_200}\r\nContent-Length: 999\r\n\r\n${TAKEN}`),
    ],
    [
      'with two lengths',
      (socket) => socket.end(`HTTP/1.1 ${JSON_200}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`),
    ],
    ['no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['nothing', (socket) => socket.end()],
    ['silence', () => undefined],
    ['100 Continue, and nothing more', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
    [
      'early hints without end',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    [
      'a head without end',
      (socket) => (socket.write('HTTP/1.1 200 OK\r\n'), server.pour(socket, `X-A: ${KIB}\r\n`)),
    ],
    [
      'a body without end',
      (socket) => (socket.write('HTTP/1.1 200 OK\r\n\r\n'), server.pour(socket, KIB.repeat(64))),
    ],
    [
      'chunks without end',
      (socket) => (
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
        server.pour(socket, `400\r\n${KIB}\r\n`)
      ),
    ],
    [
      '100 MB that are announced',
      (socket) => (
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n'),
        server.pour(socket, KIB.repeat(64))
      ),
    ],
    [
      'a byte now and then',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 50);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    ['nested without end', (socket) => socket.end(reply(JSON_200, '['.repeat(500_000)))],
    ['UTF-16', (socket) => socket.end(reply(JSON_200, Buffer.from(TAKEN, 'utf16le')))],
  ];
  it.each(scripts)(
    '%s counts as no answer of a wallet or a game, and costs little',
    async (_what, script) => {
      server.reset(script);
      const answer = await ask();
      expect(outcomes(answer)).toEqual(UNKNOWN);
      await server.left();

      const query = { operatorId: 'op1', currencies: { EUR: 1 } };
      const provider = { providerId: 'gp1', gameUrl: server.url, secrets: ['s'] };
      const client = createProviderClient({
        ...http,
        send: (call) => http.send({ ...call, timeoutMs: TIMEOUT_MS }),
      });
      const configurations = createGameConfigurations({ provider: client, providerOf: () => provider });
      const game = { gameCode: 'g', providerId: 'gp1' };
      await expect(configurations.get(query, game, 'EUR')).rejects.toMatchObject({
        refusal: { status: 502, errorCode: { id: 3003 } },
      });
      await server.left();
      expect(server.written).toBeLessThan(MAX_TAKEN_BYTES);
      expect(elsewhere.requests).toEqual([]);
    },
  );

  it.each([
    ['__proto__', '{"balances":[],"__proto__":{"errorCode":{"id":1}}}'],
    ['constructor', '{"balances":[],"constructor":{"prototype":{"errorCode":{"id":1}}}}'],
  ])('with the key %s is not changed by it', async (_what, body) => {
    server.reset((socket) => socket.end(reply(JSON_200, body)));
    expect(await ask()).toEqual({ kind: 'answer', status: 200, body: { balances: [] } });
    expect(({} as Record<string, unknown>).errorCode).toBeUndefined();
  });

  it('with a field of depth 100,000 beside the balance is accepted without that field', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    server.reset((socket) => socket.end(reply(JSON_200, `${TAKEN.slice(0, -1)},"discountInfo":${deep}}`)));
    expect(classifyWalletReply(callOf('debit', 'debit'), await ask(), FIRST_DELIVERY)).toEqual({
      kind: 'accepted',
      endRejected: undefined,
      balance: { balances: [{ type: 'real', amount: 1, currency: 'EUR' }] },
    });
  });

  it('with halves of surrogate pairs is read with U+FFFD in their place', async () => {
    server.reset((socket) => socket.end(reply(JSON_200, '{"\\ud800":["\\udfff \\ud83d\\ude00"]}')));
    expect(await ask()).toEqual({ kind: 'answer', status: 200, body: { '\ufffd': ['\ufffd 😀'] } });
  });
});

/*
 * The text of an errorCode gets into workflow histories and failures. Half a surrogate pair in it once ended every worker
 * that read it, and so stopped all rounds.
 */
let harness: RoundsHarness;
beforeAll(async () => {
  harness = await startRounds();
});
afterAll(() => harness?.stop());

const TEXTS: [what: string, text: string][] = [
  ['half a character', '\ud800'],
  ['the other half', 'x\udfff'],
  ['NUL', '\u0000'],
  ['line ends and direction marks', '\r\n\u202e\u2028'],
  ['more than is kept, cut within a character', `x${'😀'.repeat(300)}`],
];

sideBySide(
  () => harness,
  (scenario) => {
    for (const [what, text] of TEXTS) {
      scenario(`an errorCode with ${what} holds up no credit`, async ({ player, on }) => {
        const hash = await player.open({ winAmount: 700 });
        const errorCode = { id: REPEATABLE_ERROR_ID, msg: text, clientmsg: text };
        // The second one is a retry's, whose reason goes into a failure.
        await on('credit', { fault: 'status', status: 400, times: 2, errorCode });
        expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' } });
        await finished(harness, hash);
        expect((await agreedBooks(harness, hash)).ledger.net).toBe(700 - STAKE);
      });
      scenario(`an errorCode with ${what} declines a bet like any other`, async ({ player, on }) => {
        await on('debit', { fault: 'status', status: 400, errorCode: { id: 5, msg: text, clientmsg: text } });
        const { status, errorCode } = await refusalOf(player.start());
        expect([status, errorCode.id, errorCode.msg.slice(0, 2)]).toEqual([
          400,
          5,
          text.replace(/\p{Surrogate}/gu, '\ufffd').slice(0, 2),
        ]);
      });
    }
  },
);
