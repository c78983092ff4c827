import { connect, type Socket } from 'node:net';
import { providerCall, startService, type Service } from '../http/support';
import { UnreadBodies } from '../../src/http/unread-bodies';

/* Many calls whose bodies never arrive, beside a complete signed call. */

const HALF_SENT = 600;
/** Less than HALF_SENT, so that the half-sent calls would fill the limit if they were admitted. */
const CROWD = 400;
const UNREAD = 64;

let service: Service;
beforeAll(async () => {
  service = await startService({
    limits: { crowd: CROWD, unreadBodies: UNREAD },
    bounds: { lingerMs: 500 },
  });
});
afterAll(() => service.stop());

interface HalfSent {
  socket: Socket;
  text: string;
  closed: boolean;
}

const open: Socket[] = [];
afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));

function send(bytes: string): HalfSent {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const sent: HalfSent = { socket, text: '', closed: false };
  socket.on('data', (data) => (sent.text += data.toString()));
  socket.on('close', () => (sent.closed = true)).on('error', () => undefined);
  socket.write(bytes);
  open.push(socket);
  return sent;
}

async function until(condition: () => boolean, ms = 10_000): Promise<void> {
  const began = Date.now();
  while (!condition() && Date.now() - began < ms) await new Promise((resolve) => setTimeout(resolve, 10));
}

const head = (path: string, headers: Record<string, string>): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Length: 100',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '{"token":"',
  ].join('\r\n');
const signedBy = (id: string): Record<string, string> => ({
  'X-H-AUTH-ID': id,
  'X-H-AUTH-SIG': `${'A'.repeat(43)}=`,
  'X-H-TIMESTAMP': new Date().toISOString(),
});
const statusOf = ({ text }: HalfSent): string => text.slice(9, 12);

describe.each(['/startGameRound', '/getGameURL'])('half-sent calls of %s', (path) => {
  it.each([
    ['without keys', {}],
    ['with an empty id', { ...signedBy('') }],
    ['with a signature of no form', { ...signedBy('gp1'), 'X-H-AUTH-SIG': 'x' }],
    ['of an unknown id', signedBy('nobody')],
  ])('%s get 401 before their bodies come', async (_what, headers) => {
    const half = Array.from({ length: HALF_SENT }, () => send(head(path, headers)));
    const began = Date.now();
    expect((await providerCall(service, '/testPing', {})).status).toBe(200);
    expect(Date.now() - began).toBeLessThan(5_000);
    await until(() => half.every(({ text }) => text !== ''));
    expect(new Set(half.map(statusOf))).toEqual(new Set(['401']));
    // What still comes of them is not waited for long.
    await until(() => half.every(({ closed }) => closed));
    expect(half.filter(({ closed }) => !closed)).toHaveLength(0);
  });

  it('of a known id have little room, and signed calls of that id are answered', async () => {
    const half = Array.from({ length: HALF_SENT }, () =>
      send(head(path, signedBy(path === '/getGameURL' ? 'op1' : 'gp1'))),
    );
    await until(() => half.filter(({ text }) => text !== '').length >= HALF_SENT - UNREAD);
    for (const id of ['gp1', 'gp2']) {
      expect((await providerCall(service, '/testPing', {}, { id })).status).toBe(200);
    }
    const cut = half.filter(({ text }) => text !== '');
    expect(cut.length).toBeGreaterThanOrEqual(HALF_SENT - UNREAD);
    expect(new Set(cut.map(statusOf))).toEqual(new Set(['503']));
    expect(cut[0]!.text).toMatch(/Connection: close.*Retry-After/is);
  });
});

it('a call that is refused before its body may be followed by another on its connection', async () => {
  const seen = send(head('/testPing', {}));
  await until(() => seen.text !== '');
  seen.socket.write(`${'x'.repeat(90)}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`);
  await until(() => seen.text.includes(' 200 '));
  expect([...seen.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['401', '200']);
});

it('an endless body that is not read ends with its connection', async () => {
  const seen = send('POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const more = setInterval(() => seen.socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`), 20);
  await until(() => seen.closed);
  clearInterval(more);
  expect([statusOf(seen), seen.closed]).toEqual(['404', true]);
});

describe('room for unread bodies', () => {
  it('is made by dropping the oldest body of the party with the most bodies', async () => {
    const bodies = new UnreadBodies(4);
    const cut: string[] = [];
    const begin = (party: string, name: string): void =>
      void bodies.within(party, () => new Promise(() => undefined)).catch(() => cut.push(name));
    begin('a', 'a1');
    for (const name of ['b1', 'b2', 'b3', 'b4']) begin('b', name);
    begin('c', 'c1');
    begin('a', 'a2');
    begin('a', 'a3');
    await new Promise(setImmediate);
    expect(cut).toEqual(['b1', 'b2', 'b3', 'a1']);
  });

  it('is freed by a complete body, and by one that broke off', async () => {
    const bodies = new UnreadBodies(1);
    for (let nth = 0; nth < 3; nth += 1) {
      await expect(bodies.within('a', () => Promise.resolve(nth))).resolves.toBe(nth);
      await expect(bodies.within('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    const last = bodies.within('a', () => Promise.resolve('last'));
    await expect(last).resolves.toBe('last');
  });
});
