import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createCodecApp } from '../../src/codec-server/app';
import { createLogger } from '../../src/logging';
import { createPayloadCodec } from '../../src/payloads/codec';

/** Called as Temporal Web and the CLI call it. */

const TOKEN = 'back-office-token-of-a-test';
const WEB = 'http://127.0.0.1:8233';
const HOUR_MS = 3_600_000;
const codec = createPayloadCodec({ keys: [{ id: 'k1', secret: Buffer.alloc(32, 1) }], readKeys: [] });

let server: Server;
let url: string;
let now = 1_800_000_000_000;
/** How far the machine's clock is behind what has passed. */
let setBackMs = 0;

beforeEach(async () => {
  const app = createCodecApp({
    ...{ codec, token: TOKEN, origins: [WEB], proxied: true },
    logger: createLogger({ level: 'silent', process: 'codec-server' }),
    clock: () => now - setBackMs,
    monotonicNow: () => now,
  });
  const answer = app.callback();
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const asBearer = { Authorization: `Bearer ${TOKEN}` };

function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const type = { 'Content-Type': 'application/json', 'X-Namespace': 'default' };
  return fetch(url + path, { method: 'POST', body, headers: { ...type, ...headers }, redirect: 'manual' });
}

interface Wire {
  payloads: { metadata: Record<string, string>; data: string }[];
}

const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
const wire = (payloads: Payload[]): string =>
  JSON.stringify({
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
      ),
      data: base64(data),
    })),
  });
const plain = defaultPayloadConverter.toPayload({ stake: 250 });
const encrypted = async (): Promise<string> => wire(await codec.encode([plain]));

async function signIn(headers: Record<string, string> = {}, token = TOKEN): Promise<Response> {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
  return post('/sign-in', new URLSearchParams({ token }).toString(), form);
}

const cookieOf = (reply: Response): string => reply.headers.get('set-cookie')?.split(';')[0] ?? '';

test('decodes what was encoded, for whoever has the token', async () => {
  const encoded = await post('/encode', wire([plain]), asBearer);
  const body = await encoded.text();
  expect((JSON.parse(body) as Wire).payloads[0]?.metadata.encoding).toBe(
    base64(Buffer.from('binary/encrypted')),
  );
  const decoded = await post('/decode', body, asBearer);
  expect([decoded.status, await decoded.json()]).toEqual([200, JSON.parse(wire([plain]))]);
  expect(decoded.headers.get('cache-control')).toBe('no-store');
});

test('what is in the clear stays as it is; nothing is nothing', async () => {
  expect(await (await post('/decode', wire([plain]), asBearer)).text()).toBe(wire([plain]));
  expect(await (await post('/decode', '{}', asBearer)).json()).toEqual({ payloads: [] });
});

test.each([
  ['nothing', {}],
  ['a wrong token', { Authorization: 'Bearer wrong' }],
  ['the token as something else', { Authorization: `Basic ${TOKEN}` }],
  ['an empty token', { Authorization: 'Bearer ' }],
  ['a made-up session', { Cookie: `codec_session=${4_000_000_000}.c2lnbmF0dXJl`, Origin: WEB }],
])('refuses who comes with %s, and says nothing', async (_, headers: Record<string, string>) => {
  const reply = await post('/decode', await encrypted(), headers);
  expect(reply.status).toBe(401);
  expect(await reply.text()).not.toContain('payloads');
});

test('a person who signs in sees all of it from the pages of Temporal Web, for eight hours', async () => {
  const cookie = cookieOf(await signIn());
  const from = (origin: string) =>
    encrypted().then((body) => post('/decode', body, { Cookie: cookie, Origin: origin }));
  expect((await from(WEB)).status).toBe(200);
  expect((await from('http://evil.example')).status).toBe(401);
  now += 8 * HOUR_MS - 1_000;
  expect((await from(WEB)).status).toBe(200);
  now += 1_000;
  expect((await from(WEB)).status).toBe(401);
});

test('the cookie is for this server alone, and crosses sites by TLS only', async () => {
  const plainHttp = (await signIn()).headers.get('set-cookie');
  expect(plainHttp).toMatch(/; HttpOnly; .*; SameSite=Lax$/);
  const tls = (await signIn({ 'X-Forwarded-Proto': 'https' })).headers.get('set-cookie');
  expect(tls).toMatch(/; HttpOnly; .*; SameSite=None; Secure$/);
});

test('a wrong token signs nobody in, and is not guessed', async () => {
  const statuses = [];
  for (let tries = 0; tries < 31; tries += 1) statuses.push((await signIn({}, `wrong-${tries}`)).status);
  expect(statuses).toEqual([...Array<number>(30).fill(401), 429]);
  // Not the right one either, until the minute is over.
  expect((await signIn()).status).toBe(429);
  setBackMs = HOUR_MS;
  now += 60_000;
  expect((await signIn()).status).toBe(303);
  setBackMs = 0;
});

test('tells browsers that Temporal Web may call with credentials, and no other page', async () => {
  const ask = (origin: string): Promise<Response> =>
    fetch(`${url}/decode`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-namespace',
      },
    });
  const allowed = await ask(WEB);
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe(WEB);
  expect(allowed.headers.get('access-control-allow-credentials')).toBe('true');
  expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-namespace');
  expect(allowed.headers.get('vary')).toContain('Origin');
  expect((await ask('http://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  // Also a refusal has to be readable there, or the person sees only that something failed.
  const refused = await post('/decode', '{}', { Origin: WEB });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, WEB]);
});

test('a body is bounded and of the protocol’s form', async () => {
  const tooLarge = await post('/decode', `{"payloads":[],"x":"${'x'.repeat(8 * 1024 * 1024)}"}`, asBearer);
  expect(tooLarge.status).toBe(413);
  for (const body of [
    '',
    '[]',
    '{',
    '{"payloads":{}}',
    '{"payloads":[{"data":5}]}',
    '{"payloads":[{"data":"*"}]}',
  ]) {
    expect([body, (await post('/decode', body, asBearer)).status]).toEqual([body, 400]);
  }
});

test('a key that is lost is told by its name', async () => {
  const other = createPayloadCodec({ keys: [{ id: 'lost', secret: Buffer.alloc(32, 9) }], readKeys: [] });
  const reply = await post('/decode', wire(await other.encode([plain])), asBearer);
  expect(reply.status).toBe(400);
  expect(((await reply.json()) as { message: string }).message).toContain('"lost"');
});

test('no page may frame the form or script it', async () => {
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(await page.text()).toContain('<form');
});
