import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:https';
import tls from 'node:tls';
import * as zlib from 'node:zlib';
import { createHttpClient, type HttpAnswer, type HttpClient } from '../../src/clients/http';
import { createOperatorWallet } from '../../src/clients/operator-wallet';
import { classifyWalletReply } from '../../src/domain/classify-wallet-reply';
import { callOf, FIRST_DELIVERY } from '../domain/wallet-reply-support';
import { startStoppedServer } from '../support/stopped-server';

/* What a server that keeps to HTTP may do (RFC 9110, 9112), and what becomes of a bet that it answers. */

/** Answers the nth request of a connection. */
type Script = (socket: Socket, nth: number) => void;

let script: Script;
let requests: string[];
let connections: number;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  connections += 1;
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  let text = '';
  let nth = 0;
  socket.on('data', (data) => {
    text += data.toString('latin1');
    const [, head, length] = /^(.*?content-length: (\d+).*?\r\n\r\n)/is.exec(text) ?? [];
    if (head === undefined || text.length < head.length + Number(length)) return;
    requests.push(text);
    text = '';
    script(socket, (nth += 1));
  });
});

let http: HttpClient;
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => {
  sockets.forEach((socket) => socket.destroy());
  return new Promise((done) => server.close(done));
});
beforeEach(() => {
  requests = [];
  connections = 0;
  http = createHttpClient({ addresses: 'any' });
});
afterEach(() => http.close());

const TIMEOUT_MS = 1_500;
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function bet(operatorUrl = url(), walletTimeoutMs = TIMEOUT_MS, client = http): Promise<HttpAnswer> {
  const operator = { operatorId: 'op1', operatorUrl, secrets: ['s'], walletTimeoutMs };
  const names = { playerId: 'p', gameCode: 'g', gameRound: 'r' };
  return createOperatorWallet(client).doTransactions(operator, { ...names, call: callOf('debit', 'debit') });
}
const outcome = async (answer: Promise<HttpAnswer>): Promise<string> =>
  classifyWalletReply(callOf('debit', 'debit'), await answer, FIRST_DELIVERY).kind;

const TAKEN = '{"balances":[{"type":"real","amount":1,"currency":"EUR"}]}';
const DECLINED = '{"errorCode":{"id":5,"msg":"NO","clientmsg":"No."}}';
const TYPE = 'Content-Type: application/json\r\n';

function reply(body: string | Buffer = TAKEN, headers = TYPE, status = '200 OK'): Buffer {
  const head = `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}
const writes =
  (...parts: (string | Buffer)[]): Script =>
  (socket) =>
    parts.forEach((part) => socket.write(part));
const coded = (coding: string, bytes: Buffer): Script =>
  writes(reply(bytes, `${TYPE}Content-Encoding: ${coding}\r\n`));

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const CHUNKED = `HTTP/1.1 200 OK\r\n${TYPE}Transfer-Encoding: chunked\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)};ext=1\r\n${text}\r\n`;
const CHUNKS = `${chunk(TAKEN.slice(0, 9))}${chunk(TAKEN.slice(9))}0\r\n`;
const BOMB = Buffer.from(`{"balances":[${' '.repeat(2 * 1_024 * 1_024)}]}`);
const zstd = (zlib as { zstdCompressSync?: (bytes: string) => Buffer }).zstdCompressSync;

const ACCEPTED: [what: string, script: Script][] = [
  ['with a length', writes(reply())],
  ['after 100 Continue', writes(CONTINUE, reply())],
  ['after 100 Continue in the same packet', writes(Buffer.concat([Buffer.from(CONTINUE), reply()]))],
  [
    'after 102, two of 103 with headers, and 199',
    writes(
      'HTTP/1.1 102 Processing\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(2),
      'HTTP/1.1 199 Own\r\n\r\n',
      reply(),
    ),
  ],
  ['in gzip', coded('gzip', zlib.gzipSync(TAKEN))],
  ['in x-gzip, in capitals', coded('X-GZIP', zlib.gzipSync(TAKEN))],
  ['in deflate', coded('deflate', zlib.deflateSync(TAKEN))],
  ['in deflate without its head', coded('deflate', zlib.deflateRawSync(TAKEN))],
  ['in br', coded('br', zlib.brotliCompressSync(TAKEN))],
  ...(zstd === undefined ? [] : [['in zstd', coded('zstd', zstd(TAKEN))] as [string, Script]]),
  ['in two codings', coded('gzip, br', zlib.brotliCompressSync(zlib.gzipSync(TAKEN)))],
  ['in identity', coded('identity', Buffer.from(TAKEN))],
  ['in chunks with extensions', writes(`${CHUNKED}\r\n`, CHUNKS, '\r\n')],
  ['in chunks with trailers', writes(`${CHUNKED}Trailer: X-A\r\n\r\n`, CHUNKS, 'X-A: 1\r\nX-B: 2\r\n\r\n')],
  [
    'byte by byte',
    (socket) =>
      void (async () => {
        for (const byte of reply()) {
          socket.write(Buffer.from([byte]));
          await new Promise(setImmediate);
        }
      })(),
  ],
  [
    'with headers in any case',
    writes(
      `HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh: ${TAKEN.length}\r\nCONTENT-TYPE:application/json\r\n\r\n${TAKEN}`,
    ),
  ],
  [
    'with white space around values, and empty ones',
    writes(`HTTP/1.1 200 OK\r\nContent-Length: \t ${TAKEN.length} \r\nX-A:\r\nX-B:\t1\t\r\n\r\n${TAKEN}`),
  ],
  ['without a reason phrase', writes(reply(TAKEN, TYPE, '200 '))],
  ['with a reason phrase of its own', writes(reply(TAKEN, TYPE, '200 Très bien'))],
  [
    'with 12 KiB of headers',
    writes(reply(TAKEN, `${TYPE}${`Set-Cookie: ${'x'.repeat(1_000)}\r\n`.repeat(12)}`)),
  ],
  ['after empty lines', writes('\r\n\r\n', reply())],
  ['and closes', (socket) => socket.end(reply(TAKEN, `${TYPE}Connection: close\r\n`))],
  ['and closes without a word', (socket) => socket.end(reply())],
  ['ended by close', (socket) => socket.end(`HTTP/1.1 200 OK\r\n${TYPE}\r\n${TAKEN}`)],
  ['in HTTP/1.0', (socket) => socket.end(`HTTP/1.0 200 OK\r\n${TYPE}\r\n${TAKEN}`)],
  [
    'in HTTP/1.0, kept alive',
    writes(`HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: ${TAKEN.length}\r\n\r\n${TAKEN}`),
  ],
  ['with a byte order mark', writes(reply(`\ufeff${TAKEN}`))],
  ['with white space around', writes(reply(`\r\n\t ${TAKEN}\n`))],
  ['with a charset', writes(reply(TAKEN, 'Content-Type: application/json; charset="UTF-8"\r\n'))],
  [
    'with a charset that is not its own',
    writes(reply(TAKEN, 'Content-Type: application/json;charset=iso-8859-1\r\n')),
  ],
  ['with another type', writes(reply(TAKEN, 'Content-Type: text/html\r\n'))],
  ['without a type', writes(reply(TAKEN, ''))],
  [
    'with an offer of HTTP/2',
    writes(reply(TAKEN, `${TYPE}Connection: Upgrade\r\nUpgrade: h2c\r\nAlt-Svc: h2=":443"\r\n`)),
  ],
];

const UNKNOWN: [what: string, script: Script][] = [
  ['204', writes('HTTP/1.1 204 No Content\r\n\r\n')],
  ['205 without a body', writes('HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n')],
  ['304', writes('HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n')],
  ['200 without a body', writes(reply(''))],
  ['200 without a body, in gzip', coded('gzip', Buffer.alloc(0))],
  ['101', writes('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')],
  ['a bomb in gzip', coded('gzip', zlib.gzipSync(BOMB))],
  ['a bomb in deflate', coded('deflate', zlib.deflateSync(BOMB))],
  ['a bomb in br', coded('br', zlib.brotliCompressSync(BOMB))],
  ['a bomb in gzip in gzip', coded('gzip, gzip', zlib.gzipSync(zlib.gzipSync(BOMB)))],
  ['half of a gzip', coded('gzip', zlib.gzipSync(TAKEN).subarray(0, 30))],
  ['no gzip at all', coded('gzip', Buffer.from(TAKEN))],
  ['a coding of its own', coded('constructor', Buffer.from(TAKEN))],
  [
    'a folded header, which servers must not send',
    writes(`HTTP/1.1 200 OK\r\nX-A: 1\r\n 2\r\nContent-Length: ${TAKEN.length}\r\n\r\n${TAKEN}`),
  ],
  ['too few chunks', (socket) => socket.end(`${CHUNKED}\r\n${chunk(TAKEN)}`)],
];

describe('a bet is answered', () => {
  it.each(ACCEPTED)('%s: taken, also a second one', async (_what, each) => {
    script = each;
    const first = await outcome(bet());
    // A server may close without having said so.
    await sleep(20);
    expect([first, await outcome(bet())]).toEqual(['accepted', 'accepted']);
    expect(requests).toHaveLength(2);
  });

  it.each(UNKNOWN)('%s: unknown', async (_what, each) => {
    script = each;
    const began = Date.now();
    expect(await outcome(bet())).toBe('unknown');
    expect(Date.now() - began).toBeLessThan(TIMEOUT_MS / 2);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['in gzip', writes(reply(zlib.gzipSync(DECLINED), 'Content-Encoding: gzip\r\n', '400 Bad'))],
    ['after 100 Continue', writes(CONTINUE, reply(DECLINED, TYPE, '400 Bad'))],
  ])('with a refusal %s: declined', async (_what, each) => {
    script = each;
    expect(await outcome(bet())).toBe('declined');
  });

  it('says who calls, and that codings are not wanted', async () => {
    script = writes(reply());
    await bet();
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect(requests[0]!.toLowerCase()).toContain(`\r\nuser-agent: gameround/${version}\r\n`);
    expect(requests[0]!.toLowerCase()).toContain('\r\naccept-encoding: identity\r\n');
  });
});

describe('a kept connection', () => {
  it('is used again', async () => {
    script = writes(reply());
    await bet();
    await bet();
    expect(connections).toBe(1);
  });

  it('that ends at the moment of the next bet is not used: the bet is sent once, and taken', async () => {
    script = (socket, nth) => (nth === 1 ? socket.end(reply()) : socket.destroy());
    let second: Promise<HttpAnswer> | undefined;
    const onSocket = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      socket.once('end', () => (second ??= bet()));
    };
    channel('net.client.socket').subscribe(onSocket);
    expect(await outcome(bet())).toBe('accepted');
    while (second === undefined) await new Promise(setImmediate);
    channel('net.client.socket').unsubscribe(onSocket);
    expect(await outcome(second)).toBe('accepted');
    expect([requests.length, connections]).toEqual([2, 2]);
  });

  it('that breaks after a bet was sent on it leaves that bet unknown: it is not sent again', async () => {
    script = (socket, nth) => (nth === 1 ? socket.write(reply()) : socket.destroy());
    expect(await outcome(bet())).toBe('accepted');
    expect(await outcome(bet())).toBe('unknown');
    expect(requests).toHaveLength(2);
  });

  it('is not used longer than the server announces', async () => {
    script = writes(reply(TAKEN, `${TYPE}Keep-Alive: timeout=1\r\n`));
    await bet();
    await bet();
    expect(connections).toBe(2);
  });
});

describe('a name with several addresses', () => {
  /** Of a name server that knows these. */
  const named =
    (...addresses: string[]): LookupFunction =>
    (_name, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );

  async function betAt(port: number, ...addresses: string[]): Promise<string> {
    const client = createHttpClient({ addresses: 'any', lookup: named(...addresses) });
    const answer = await outcome(bet(`http://wallet.example:${port}`, 5_000, client));
    await client.close();
    return answer;
  }

  // Linux drops the handshake of a server that takes no connections; it is tried again after 1 s.
  it('whose handshakes take a second is reached', async () => {
    const slow = await startStoppedServer(['127.0.0.2', '127.0.0.3']);
    setTimeout(() => slow.goOn(), 500);
    expect(await betAt(slow.port, '127.0.0.2', '127.0.0.3')).toBe('accepted');
    await slow.stop();
  });

  it.each([
    ['first', ['127.0.0.3', '127.0.0.2']],
    ['last', ['127.0.0.2', '127.0.0.3']],
  ])('one of which is dead, the %s, the other slow, is reached', async (_which, addresses) => {
    const slow = await startStoppedServer(['127.0.0.2']);
    const dead = await startStoppedServer(['127.0.0.3'], slow.port);
    setTimeout(() => slow.goOn(), 500);
    expect(await betAt(slow.port, ...addresses)).toBe('accepted');
    await slow.stop();
    await dead.stop();
  });

  it('one of which refuses is reached at once', async () => {
    script = writes(reply());
    const began = Date.now();
    const { port } = server.address() as AddressInfo;
    expect(await betAt(port, '127.0.0.9', '127.0.0.8', '127.0.0.1')).toBe('accepted');
    expect(Date.now() - began).toBeLessThan(200);
  });

  it('of both families that lead nowhere is tried in turns: four dead ones first cost one pause', async () => {
    script = writes(reply());
    const began = Date.now();
    const { port } = server.address() as AddressInfo;
    const dead = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'];
    expect(await betAt(port, ...dead, '127.0.0.1')).toBe('accepted');
    expect(Date.now() - began).toBeLessThan(700);
  });

  it('none of which answers is unknown in time', async () => {
    const dead = await startStoppedServer(['127.0.0.2', '127.0.0.3']);
    const client = createHttpClient({ addresses: 'any', lookup: named('127.0.0.2', '127.0.0.3') });
    const began = Date.now();
    expect(await bet(`http://wallet.example:${dead.port}`, 700, client)).toEqual({
      kind: 'no-response',
      reason: 'time-out',
    });
    expect(Date.now() - began).toBeLessThan(1_200);
    await client.close();
    await dead.stop();
  });

  it('that is looked up for many calls at a time is asked for once', async () => {
    script = writes(reply());
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, callback) => {
      asked += 1;
      setTimeout(() => callback(null, [{ address: '127.0.0.1', family: 4 }]), 50);
    };
    const client = createHttpClient({ addresses: 'any', lookup });
    const { port } = server.address() as AddressInfo;
    const bets = Array.from({ length: 20 }, () =>
      outcome(bet(`http://wallet.example:${port}`, TIMEOUT_MS, client)),
    );
    expect(new Set(await Promise.all(bets))).toEqual(new Set(['accepted']));
    expect(asked).toBe(1);
    await client.close();
  });
});

describe('over TLS', () => {
  /** Of wallet.example, signed by itself: for this test alone. */
  const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZRznYRwVxcLMkEih
Zogideu0CPLGk4lcXDgbKpzv9e+hRANCAATzQENfH/buLbmgmigo8pddcAs45eTs
jyuOICMOE+Zv1CcXDLTE44oNSfvBkHg0l6+i6ugrbwMcffW2ap2X6aRT
-----END PRIVATE KEY-----`;
  const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBcTCCARagAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA53YWxsZXQu
ZXhhbXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGTEXMBUG
A1UEAwwOd2FsbGV0LmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATz
QENfH/buLbmgmigo8pddcAs45eTsjyuOICMOE+Zv1CcXDLTE44oNSfvBkHg0l6+i
6ugrbwMcffW2ap2X6aRTo00wSzAPBgNVHRMBAf8EBTADAQH/MBkGA1UdEQQSMBCC
DndhbGxldC5leGFtcGxlMB0GA1UdDgQWBBQQWO5Ral5YV/Dun+KtzVFVt1Ps7DAK
BggqhkjOPQQDAgNJADBGAiEA+Lmtdzr0EEwOIcsG+w76oUd7CsXUkVJoHAgt1gLF
J1gCIQD8TMuVyCaHYs+nN1W8iFTQ8S6VEpvKL1zeI5WmIxmeLw==
-----END CERTIFICATE-----`;

  it('a bet goes to the name in the certificate and to no other, on a kept connection', async () => {
    const names: unknown[] = [];
    const wallet = createTlsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
      request.resume().on('end', () => response.end(TAKEN));
    });
    wallet.on('secureConnection', ({ servername }) => names.push(servername));
    await new Promise<void>((done) => wallet.listen(0, '127.0.0.1', done));
    const { port } = wallet.address() as AddressInfo;
    const lookup: LookupFunction = (_name, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const client = createHttpClient({ addresses: 'any', lookup });
    const betAt = (name: string): Promise<HttpAnswer> => bet(`https://${name}:${port}`, TIMEOUT_MS, client);
    expect(await betAt('wallet.example')).toMatchObject({ reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    names.length = 0;

    const { connect } = tls;
    const trusting = jest
      .spyOn(tls, 'connect')
      .mockImplementation(((options: tls.ConnectionOptions) =>
        connect({ ...options, ca: CERTIFICATE })) as typeof connect);
    expect(await betAt('other.example')).toMatchObject({ reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    names.length = 0;
    expect([await outcome(betAt('wallet.example')), await outcome(betAt('wallet.example'))]).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(names).toEqual(['wallet.example']);
    trusting.mockRestore();
    await client.close();
    await new Promise((done) => wallet.close(done));
  });
});
