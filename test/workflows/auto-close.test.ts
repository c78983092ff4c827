import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agreedBooks, finished, playerOf, STAKE, until } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** A forgotten round is closed through its provider, in real time (docs/interface#auto-close); 48 hours: auto-close.days.test.ts. */

const AFTER_MS = 2_000;

interface Asked {
  at: number;
  path: string;
  authId: string | undefined;
  signature: string | undefined;
  timestamp: string | undefined;
  body: { gameRound: string; gameSettings: object };
}

let provider: Server;
let harness: RoundsHarness;
const asked: Asked[] = [];
/** What the game does with a round that it is asked to close; the answer's status. */
const games = new Map<string, () => Promise<number>>();

beforeAll(async () => {
  provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
      asked.push({
        at: Date.now(),
        path: request.url ?? '',
        authId: request.headersDistinct['x-h-auth-id']?.join(),
        signature: request.headersDistinct['x-h-auth-sig']?.join(),
        timestamp: request.headersDistinct['x-h-timestamp']?.join(),
        body,
      });
      const play = games.get(body.gameRound) ?? (() => Promise.resolve(500));
      void play().then((status) => response.writeHead(status).end('{}'));
    });
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  const { port } = provider.address() as AddressInfo;
  harness = await startRounds({
    gameUrl: `http://127.0.0.1:${port}`,
    roundSettings: { autoCloseAfterMs: AFTER_MS },
  });
});

afterAll(async () => {
  await harness?.stop();
  await new Promise((done) => provider.close(done));
});

function callsFor(hash: string): Asked[] {
  return asked.filter(({ body }) => body.gameRound === hash);
}

test('the provider is asked once the time is up, unsigned, and closes the round in its own call', async () => {
  const player = playerOf(harness);
  const startedAt = Date.now();
  const hash = await player.open({ winAmount: 20 });
  games.set(hash, async () => {
    await player.win(hash, { winAmount: 5 });
    return (await player.end(hash)).refusal === undefined ? 200 : 500;
  });
  await finished(harness, hash);
  const [call, ...more] = callsFor(hash);
  expect(more).toEqual([]);
  expect(call).toMatchObject({
    path: '/doAutoClose',
    authId: 'gp1',
    signature: undefined,
    body: { gameRound: hash, gameSettings: expect.any(Object) as object },
  });
  expect(Object.keys(call?.body ?? {}).sort()).toEqual(['gameRound', 'gameSettings']);
  expect(Date.parse(call?.timestamp ?? '')).toBeGreaterThan(startedAt);
  expect((call?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(AFTER_MS - 100);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'closed', attention: [] },
    ledger: { net: 25 - STAKE },
  });
});

test('a round that was closed in time is never asked for', async () => {
  const player = playerOf(harness);
  const hash = await player.open();
  await player.end(hash);
  await finished(harness, hash);
  await new Promise((done) => setTimeout(done, AFTER_MS + 500));
  expect(callsFor(hash)).toEqual([]);
});

test('200 with the round still open is a failure: marked past twice its time, gone when it is closed', async () => {
  const player = playerOf(harness);
  const hash = await player.open();
  games.set(hash, () => Promise.resolve(200));
  await until(
    () => harness.attention(hash),
    (marks) => marks.includes('auto-close-failing'),
  );
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.attention.includes('auto-close-failing') === true,
  );
  expect(callsFor(hash).length).toBe(1);
  expect(await harness.rounds.find(hash)).toMatchObject({ status: 'open' });
  expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  expect(await harness.attention(hash)).toEqual([]);
  expect(await harness.rounds.find(hash)).toMatchObject({ status: 'closed', attention: [] });
});

test('a spin whose win is being retried is open as well: asked for when its time is up, then marked', async () => {
  const player = playerOf(harness);
  const { playerId } = player.session;
  await harness.fault({ fault: 'status', status: 500, times: 3, match: { type: 'credit', playerId } });
  player.start({ winAmount: 20, endGame: true }).catch(() => undefined);
  const [debit] = await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.length > 1,
  );
  const hash = debit?.body.gameRound ?? '';
  const marks = await until(
    () => harness.attention(hash),
    (seen) => seen.includes('auto-close-failing'),
  );
  expect(marks).toContain('credit-pending');
  expect(callsFor(hash)).toHaveLength(1);
  await finished(harness, hash);
  expect(await harness.attention(hash)).toEqual([]);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'closed' },
    ledger: { net: 20 - STAKE },
  });
});
