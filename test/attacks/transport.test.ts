import { createHmac } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { sessionToken, roundReply, start, startService, providerCall, type Service } from '../http/support';
import { talk } from './support';

/* Attacks by malformed and unusual HTTP on the server that the API runs with. */

let service: Service;
beforeAll(async () => {
  service = await startService({ bounds: { headMs: 200, requestMs: 400, silenceMs: 1_000, checkMs: 50 } });
});
afterAll(() => service.stop());
afterEach(() => {
  expect(service.log.filter((line) => /unexpected error|reply failed/.test(line))).toEqual([]);
});

const POST = 'POST /testPing HTTP/1.1\r\nHost: x\r\n';
/** Headers of a known provider. The service refuses these calls before it checks the signature. */
const CLAIM = `X-H-AUTH-ID: gp1\r\nX-H-AUTH-SIG: ${'A'.repeat(43)}=\r\nX-H-TIMESTAMP: x\r\n`;
const GET = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
const LAST = 'Connection: close\r\n';
const SMUGGLED = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';

describe('malformed HTTP gets one refusal, and the connection ends', () => {
  it.each([
    [
      'Content-Length and Transfer-Encoding',
      `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['two lengths', `${POST}Content-Length: 0\r\nContent-Length: 43\r\n\r\n${SMUGGLED}`],
    ['a list of lengths', `${POST}Content-Length: 0, 43\r\n\r\n${SMUGGLED}`],
    ['a signed length', `${POST}Content-Length: +5\r\n\r\nhello`],
    ['a length after a space', `${POST}Content-Length : 5\r\n\r\nhello`],
    ['a coding of its own', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunked, but not last', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['two codings', `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`],
    ['a chunk of no size', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`],
    ['a chunk beyond all sizes', `${POST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`],
    ['line feeds alone', 'POST /testPing HTTP/1.1\nHost: x\n\n'],
    ['a carriage return alone', `${GET}X: a\rX-H-AUTH-ID: gp1\r\n\r\n`],
    ['a folded header', `${POST}X-H-AUTH-ID: gp1\r\n more\r\n\r\n`],
    ['NUL in a header', `${POST}X-Request-Id: a\0b\r\n\r\n`],
    ['a method of its own', 'FOO /health/live HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['bytes beyond ASCII in the target', Buffer.from('GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS hello', Buffer.from('16030100a50100', 'hex')],
  ])('%s', async (_what, bytes) => {
    const { statuses, text } = await talk(service, bytes);
    expect(statuses).toEqual([400]);
    expect(text).toMatch(/"errorCode":\{"id":1000,.*\}\}$/s);
  });

  it('no Host: 400', async () => {
    expect((await talk(service, 'GET /health/live HTTP/1.1\r\n\r\n')).statuses).toEqual([400]);
  });

  it('a head of more than 16 KiB: 431', async () => {
    const { statuses, text } = await talk(service, `${POST}X: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(statuses).toEqual([431]);
    expect(text).toContain('"id":1002');
  });

  it('after a call that is being carried out it gets no answer: it would look like that call’s answer', async () => {
    const token = await sessionToken(service);
    let finish: (() => void) | undefined;
    service.commands.startGameRound.mockImplementationOnce(
      () => new Promise((resolve) => (finish = () => resolve(roundReply()))),
    );
    const call = talk(service, signed('/startGameRound', JSON.stringify(start(token))) + 'garbage\r\n\r\n');
    expect((await call).text).toBe('');
    finish?.();
  });
});

describe('unusual but allowed', () => {
  it.each([
    ['HTTP/1.0 without Host', 'GET /health/live HTTP/1.0\r\n\r\n', [200]],
    ['two Hosts: neither is ever used', `${GET}Host: evil.example\r\n${LAST}\r\n`, [200]],
    [
      'a Host with anything in it',
      `GET /health/live HTTP/1.1\r\nHost: a b/?#@<script>\r\n${LAST}\r\n`,
      [200],
    ],
    [
      'a whole URL as target',
      `GET http://evil.example/health/live HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`,
      [200],
    ],
    [
      'a path that looks like a host',
      `GET //evil.example/health/live HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`,
      [404],
    ],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, [404]],
    ['TRACE', `TRACE /health/live HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, [405]],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: x\r\n\r\n', []],
    [
      'X-HTTP-Method-Override',
      `GET /testPing HTTP/1.1\r\nHost: x\r\nX-HTTP-Method-Override: POST\r\n${LAST}\r\n`,
      [405],
    ],
    ['an upgrade to websocket', `${GET}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`, [200]],
    ['an expectation of its own', `${POST}Expect: 200-maybe\r\n${LAST}Content-Length: 2\r\n\r\n{}`, [417]],
    ['3000 headers', `${POST}${'a:\r\n'.repeat(3_000)}${LAST}\r\n`, [401]],
    ['X-Request-Id of 9000 characters', `${POST}X-Request-Id: ${'x'.repeat(9_000)}\r\n${LAST}\r\n`, [401]],
    [
      'a body where none belongs: no call of its own',
      `${GET}Content-Length: 42\r\n${LAST}\r\n${SMUGGLED}`,
      [200],
    ],
    ['bad % in a path', `GET /docs/%zz HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, [404]],
    ['bad UTF-8 in a path', `GET /docs/%c0%af HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, [404]],
    ['a way out of a folder', `GET /docs/..%2f..%2fpackage.json HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, [404]],
    ['NUL in a path', `GET /docs/docs.js%00 HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, [404]],
    [
      'pipelining: answers in order',
      `${SMUGGLED}GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n${GET}${LAST}\r\n`,
      [200, 404, 200],
    ],
  ])('%s', async (_what, bytes, statuses) => {
    const reply = await talk(service, bytes);
    expect(reply.statuses).toEqual(statuses);
    expect(reply.text).not.toMatch(/evil\.example|<script>|"name":/);
  });

  it('a second line in X-Request-Id becomes a header of the call, and never one of the reply', async () => {
    const { text } = await talk(service, `${POST}X-Request-Id: a\r\nSet-Cookie: x=1\r\n${LAST}\r\n`);
    expect(text).toMatch(/X-Request-Id: a\r\n/);
    expect(text).not.toContain('Set-Cookie');
  });

  it.each(['a\tb', 'a\u0080b'])('X-Request-Id %j is not echoed', async (id) => {
    const { text } = await talk(service, Buffer.from(`${POST}X-Request-Id: ${id}\r\n${LAST}\r\n`, 'latin1'));
    expect(text).not.toContain('X-Request-Id');
  });
});

describe('queries', () => {
  it.each([
    ['of 7000 repeated keys', 'a&'.repeat(7_000), /too many parameters/],
    ['of one token in 15,000 characters', `token=${'x'.repeat(15_000)}`, /token must have at most/],
    ['of one token twice', 'token=a&token=b', /token must be a string/],
    ['with token[$gt]', 'token[$gt]=', /token is required/],
    [
      'with __proto__ and constructor',
      '__proto__=x&__proto__[token]=y&constructor[prototype][token]=z',
      /token is required/,
    ],
    ['with NUL', 'token=%00', /control characters/],
    ['of bad %', `token=${'%zz'.repeat(100)}`, /token must have at most/],
  ])('%s are refused', async (_what, query, message) => {
    const response = await fetch(`${service.url}/connect?${query}`);
    const { errorCode } = (await response.json()) as { errorCode: { msg: string } };
    expect([response.status, errorCode.msg]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe('a slow caller is cut off', () => {
  it('with a head that never ends', async () => {
    const { statuses } = await talk(service, `${GET}X: `);
    expect(statuses).toEqual([408]);
  });

  it('with a head that comes byte by byte', async () => {
    let timer: NodeJS.Timeout | undefined;
    const closed = new Promise<void>((resolve) => {
      const socket = connectSocket(Number(new URL(service.url).port), '127.0.0.1', () => {
        socket.write(GET);
        timer = setInterval(() => socket.writable && socket.write('X-A: b\r\n'), 20);
      });
      socket.on('close', () => resolve()).on('error', () => undefined);
    });
    await closed;
    clearInterval(timer);
  });

  it('with a body that never ends, and nothing is carried out', async () => {
    const body = JSON.stringify(start(await sessionToken(service)));
    const { statuses, text } = await talk(service, signed('/startGameRound', body).slice(0, -1));
    expect(statuses).toEqual([408]);
    expect(text).toContain('did not arrive in time');
    expect(service.commands.startGameRound.mock.calls.at(-1)?.[0].rngResult).not.toBe(body);
  });

  it('that does not read a reply', async () => {
    const cutOff = new Promise<void>((resolve) =>
      service.server.once('connection', (taken) => taken.once('close', () => resolve())),
    );
    const socket = connectSocket(Number(new URL(service.url).port), '127.0.0.1');
    socket.pause().on('error', () => undefined);
    // More than the buffers on the way hold.
    socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40));
    await cutOff;
    socket.destroy();
  });

  it('and a quick caller is not', async () => {
    expect((await talk(service, `${GET}${LAST}\r\n`)).statuses).toEqual([200]);
  });
});

describe('a body', () => {
  it.each(['gzip', 'deflate', 'br', 'zstd', 'GZIP', 'identity, gzip', 'x'])(
    'with Content-Encoding %s is refused unread',
    async (encoding) => {
      const body = gzipSync('x'.repeat(10_000_000)).toString('latin1');
      const head = `${POST}${CLAIM}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n${LAST}\r\n`;
      const { statuses, text } = await talk(service, Buffer.from(head + body, 'latin1'));
      expect(statuses).toEqual([400]);
      expect(text).toContain('content-encoding is not supported');
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    '',
  ])('is JSON in UTF-8 whatever Content-Type says: %j', async (type) => {
    const reply = await providerCall(service, '/testPing', '{"testData":"é"}', {
      headers: { 'content-type': type },
    });
    expect([reply.status, reply.body]).toEqual([200, { testData: 'é' }]);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

/** A game-engine call as bytes. */
function signed(path: string, body: string): string {
  const timestamp = new Date(service.clock.now).toISOString();
  const signature = createHmac('sha256', 'secret-of-gp1').update(`${body}#${timestamp}`).digest('base64');
  return [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'X-H-AUTH-ID: gp1',
    `X-H-AUTH-SIG: ${signature}`,
    `X-H-TIMESTAMP: ${timestamp}`,
    'X-Request-Id: r',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
