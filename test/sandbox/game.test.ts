import { createHmac } from 'node:crypto';
import { createGameApp, type GameOptions } from '../../sandbox/game/game';
import type { RunningServer } from '../../sandbox/http/server';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import { FakeService, PROVIDER } from './fake-service';

interface View {
  seat: string;
  mode: string;
  balance: number | { totalBalance: number };
  stakes: number[];
  round?: { hash: string; status: string; amountToCollect: number; won: number };
  spin?: { line: string[]; winAmount: number };
  history?: { protectedInfo: Record<string, string> };
}
interface PageReply {
  status: number;
  text: string;
  view: View;
  error?: { message: string; errorCode?: { id: number } };
}

let service: FakeService;
let game: RunningServer;
let seat: string;

async function start(options: GameOptions = {}): Promise<void> {
  service = new FakeService();
  const serviceUrl = await service.start();
  game = await createGameApp({ provider: PROVIDER, serviceUrl, timeoutMs: 2_000, ...options }).start();
}

beforeEach(() => start());
afterEach(async () => {
  await game.close();
  await service.close();
});

async function page(path: string, body: unknown = {}, asSeat = seat): Promise<PageReply> {
  const response = await fetch(`${game.url}/api/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Game-Seat': asSeat },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, ...(JSON.parse(text) as Omit<PageReply, 'status' | 'text'>) };
}

async function sitDown(more: Record<string, unknown> = {}): Promise<PageReply> {
  const reply = await page(
    'connect',
    { token: 'launch', login: 'http://elsewhere.example/connect', ...more },
    '',
  );
  seat = reply.view?.seat ?? '';
  return reply;
}

/** Three numbers that stop on the only seven of each reel: 500 stakes. */
const SEVENS = [0, 0, 0];
const NO_WIN = [0, 0.5, 0.99];

describe('the page', () => {
  test('is files of its own with labels and live regions, and carries no secret', async () => {
    const html = await (await fetch(`${game.url}/play?token=x`)).text();
    expect(html).toContain('aria-live');
    expect(html).toContain('<label for="stake">');
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
    const loaded = [...html.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    const script = await (await fetch(`${game.url}/play.js`)).text();
    const modules = [...script.matchAll(/from '\.(\/[^']+)'/g)].map(([, path = '']) => path);
    expect([...loaded, ...modules]).toEqual(expect.arrayContaining(['/play.css', '/play.js', '/reels.js']));
    for (const path of new Set(['/play', ...loaded, ...modules])) {
      const response = await fetch(game.url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
      expect(response.headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(await response.text()).not.toContain(PROVIDER.secrets[0]);
    }
  });

  test('connect spends the launch token at the service, whatever host the link names', async () => {
    const reply = await sitDown();
    expect(reply).toMatchObject({ status: 200, view: { mode: 'real', stakes: [10, 20, 50, 100, 200, 500] } });
    expect(service.calls[0]).toEqual({ path: '/connect', body: { token: 'launch' } });
    await page('connect', { token: 'launch', login: 'http://x//elsewhere.example/connect' });
    expect(service.calls.filter(({ path }) => path === '/connect')).toHaveLength(2);
  });

  test('a spent launch token is told in the service’s words', async () => {
    const reply = await page('connect', { token: 'spent', login: '/connect' });
    expect(reply).toMatchObject({ status: 422, error: { message: 'told: LAUNCHURLSPENT' } });
  });

  test('no session token ever reaches the page', async () => {
    const replies = [
      await sitDown(),
      await page('spin', { stake: 10 }),
      await page('end'),
      await page('calls'),
    ];
    expect(replies[3]?.text).toContain('"path":"/startGameRound"');
    for (const { text } of replies) expect(text).not.toContain('"session"');
  });

  test('a stranger’s seat is refused', async () => {
    await sitDown();
    expect((await page('spin', { stake: 10 }, 'guessed')).status).toBe(401);
  });
});

describe('play', () => {
  beforeEach(async () => {
    await sitDown();
  });

  test('spin, win, collect, end: what the service is told and what the page shows', async () => {
    service.numbers = SEVENS;
    const spun = await page('spin', { stake: 10 });
    expect(spun.view).toMatchObject({
      balance: { totalBalance: 990 },
      round: { status: 'open', amountToCollect: 5_000 },
      spin: { line: ['seven', 'seven', 'seven'], winAmount: 5_000 },
    });
    const started = service.calls.find(({ path }) => path === '/startGameRound');
    expect(started?.body).toMatchObject({
      debitInformation: { debitAmount: 10, currency: 'EUR' },
      rngResult: { winAmount: 5_000 },
      endGame: false,
    });
    const won = await page('win');
    expect(won.view.round?.amountToCollect).toBe(5_010);
    const collected = await page('collect');
    expect(collected.view).toMatchObject({ balance: { totalBalance: 6_000 }, round: { status: 'open' } });
    expect((await page('end')).view.round?.status).toBe('closed');
  });

  test('a quick spin starts and ends in one call', async () => {
    service.numbers = NO_WIN;
    expect((await page('spin', { stake: 20, quick: true })).view.round?.status).toBe('closed');
    expect(service.paths().filter((path) => path === '/endGameRound')).toEqual([]);
  });

  test('void takes the bet back; its scalar balance is shown as it is', async () => {
    service.numbers = SEVENS;
    expect((await page('spin', { stake: 100 })).view.round?.won).toBeGreaterThan(0);
    const { view } = await page('void');
    expect(view).toMatchObject({ balance: 1_000, round: { status: 'cancel', won: 0 } });
    expect(view.spin).toBeUndefined();
  });

  test('the numbers come from the service’s generator', async () => {
    await page('spin', { stake: 10 });
    expect(service.calls.find(({ path }) => path === '/getRandomResult')?.body).toEqual({
      token: 'session',
      rngEndPoint: 'getDoubles',
      rngPayload: { count: 3, min: 0, max: 1 },
    });
  });

  test('a refusal of the service is shown, and the round stays what it was', async () => {
    await page('spin', { stake: 10 });
    const second = await page('spin', { stake: 10 });
    expect(second).toMatchObject({ status: 422, error: { errorCode: { id: 12 } } });
    expect(second.view.round?.status).toBe('open');
    expect(service.balance).toBe(990);
  });

  test('commands without an open round go nowhere', async () => {
    for (const path of ['win', 'collect', 'end', 'void']) expect((await page(path)).status).toBe(422);
    expect(service.paths()).not.toContain('/endGameRound');
  });

  test('a lost reply of the spin: the round is found, the debit not sent again', async () => {
    service.lose.push('/startGameRound');
    expect((await page('spin', { stake: 10 })).view.round?.status).toBe('open');
    expect(service.paths().filter((path) => path === '/startGameRound')).toHaveLength(1);
    expect(service.balance).toBe(990);
  });

  /** Every attempt of one command is lost, and so is every question after it. */
  const loseAll = (path: string) =>
    service.lose.push(...Array<string[]>(4).fill([path, '/getGameRoundInfo']).flat());
  const sent = (path: string) => service.calls.filter((call) => call.path === path).map(({ body }) => body);

  test('a spin whose outcome is unknown is sent again, and no other one', async () => {
    loseAll('/startGameRound');
    expect((await page('spin', { stake: 10 })).error?.message).toContain('The outcome is not known yet.');
    service.round = undefined;
    expect((await page('spin', { stake: 50 })).status).toBe(200);
    const starts = sent('/startGameRound');
    expect(starts).toHaveLength(5);
    expect(starts[4]).toEqual(starts[0]);
  });

  test.each([
    ['win', '/addWin'],
    ['collect', '/collectWin'],
    ['end', '/endGameRound'],
  ])('%s with an unknown outcome is sent again under its ids', async (action, path) => {
    service.numbers = NO_WIN;
    await page('spin', { stake: 10 });
    const open = { ...service.round! };
    loseAll(path);
    expect((await page(action)).status).toBe(502);
    service.round = open;
    expect((await page(action)).status).toBe(200);
    const [first, ...more] = sent(path);
    expect(more).toEqual(Array(4).fill(first));
  });

  test('after a reload the page gets its round back', async () => {
    await page('spin', { stake: 10 });
    expect((await page('state')).view.round?.status).toBe('open');
  });
});

test('with its own generator it draws nothing from the service, and a seed repeats', async () => {
  const lines: string[][] = [];
  for (let run = 0; run < 2; run += 1) {
    await game.close();
    await service.close();
    await start({ rng: 'own', seed: 7 });
    await sitDown();
    lines.push((await page('spin', { stake: 10, quick: true })).view.spin?.line ?? []);
    expect(service.paths()).not.toContain('/getRandomResult');
  }
  expect(lines[0]).toHaveLength(3);
  expect(lines[1]).toEqual(lines[0]);
});

describe('the switchboard of the wallet', () => {
  let wallet: RunningServer;
  beforeEach(async () => {
    await game.close();
    await service.close();
    const operators = [{ operatorId: 'op1', secrets: ['operator-secret'] }];
    wallet = await createWalletApp({ operators }).start();
    await start({ walletUrl: wallet.url });
    await sitDown();
  });
  afterEach(() => wallet.close());

  const wallets = async (path: string) =>
    (await (await fetch(`${wallet.url}/sandbox/${path}`)).json()) as Record<string, unknown>;
  const on = async () => (JSON.parse((await page('calls')).text) as { on: string[] }).on;

  test('a switch acts on the calls of this player, until it is off', async () => {
    expect((await page('switch', { situation: 'outage', on: true })).status).toBe(200);
    const match = { playerId: 'p1', tenantId: 'op1' };
    expect((await wallets('faults'))['faults']).toMatchObject([
      { fault: 'status', status: 503, match: { ...match, type: 'credit' }, left: 1_000_000 },
      { fault: 'status', status: 503, match: { ...match, type: 'end' }, left: 1_000_000 },
    ]);
    expect(await on()).toEqual(['outage']);
    await page('switch', { situation: 'outage', on: false });
    expect((await wallets('faults'))['faults']).toEqual([]);
    expect(await on()).toEqual([]);
  });

  test('every switch that the page shows is one', async () => {
    const { situations } = (await page('state')).view as unknown as { situations: { id: string }[] };
    expect(situations.length).toBeGreaterThan(5);
    for (const { id } of situations)
      expect((await page('switch', { situation: id, on: true })).status).toBe(200);
    expect(await on()).toEqual(situations.map(({ id }) => id));
    expect((await page('switch', { situation: 'other', on: true })).status).toBe(404);
    expect((await page('switch', { situation: 'outage', on: true }, 'guessed')).status).toBe(401);
  });

  test('it gives free plays and money', async () => {
    await sitDown({ gameCode: 'demo-slot' });
    expect((await page('give', { freePlaysOf: 20 })).status).toBe(200);
    await page('give', { balance: 5 });
    expect((await wallets('players/p1'))['balances']).toEqual([{ currency: 'EUR', real: 5, bonus: 0 }]);
  });

  test('without a wallet there is none', async () => {
    await game.close();
    await service.close();
    await start();
    const { situations } = (await sitDown()).view as unknown as { situations: unknown[] };
    expect(situations).toEqual([]);
    expect((await page('switch', { situation: 'outage', on: true })).status).toBe(404);
    expect((await page('give', { balance: 5 })).status).toBe(404);
  });
});

test('history mode shows the past round and offers no play', async () => {
  service.mode = 'history';
  const reply = await sitDown({ gameRound: 'r-past' });
  expect(reply.view.history?.protectedInfo).toEqual({ note: 'played before' });
  expect(service.calls.at(-1)).toMatchObject({
    path: '/getGameRoundHistoryInfo',
    body: { gameRound: 'r-past' },
  });
});

describe('callbacks of the service', () => {
  const signed = (fields: string[], timestamp = new Date().toISOString()) => {
    const message = ['provider-secret', 'gp1', timestamp, ...fields].join('#');
    const signature = createHmac('sha256', 'provider-secret').update(message).digest('base64');
    return { 'X-H-AUTH-ID': 'gp1', 'X-H-TIMESTAMP': timestamp, 'X-H-AUTH-SIG': signature };
  };
  const configuration = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(`${game.url}/getGameConfiguration?${query}`, { headers });
    const text = await response.text();
    return { status: response.status, text };
  };
  const post = async (path: string, body: unknown, headers: Record<string, string>) => {
    const response = await fetch(game.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const fault = async (body: unknown) => {
    const response = await fetch(`${game.url}/sandbox/faults`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
  };

  test.each([
    ['1', [10, 20, 50, 100, 200, 500]],
    ['100', [1_000, 2_000, 5_000, 10_000, 20_000, 50_000]],
    ['0.1', [1, 2, 5, 10, 20, 50]],
    ['0.01', [1, 2, 5]],
  ])('getGameConfiguration, multiplier %s: applied once', async (multiplier, stakes) => {
    const query = `currency=JPY&currencyMultiplier=${multiplier}&gameCode=demo-slot`;
    const reply = await configuration(query, signed(['JPY']));
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toEqual({
      gameCode: 'demo-slot',
      config: {
        stakes,
        currency: 'JPY',
        currencyMultiplier: Number(multiplier),
        expectedRtp: 95.75,
        maxPayoutOdds: 500,
        winlineCount: 1,
      },
    });
  });

  test('getGameConfiguration with a wrong signature', async () => {
    const query = 'currency=EUR&currencyMultiplier=1&gameCode=demo-slot';
    expect((await configuration(query, signed(['USD']))).status).toBe(401);
    expect((await configuration(query, signed([]))).status).toBe(401);
    expect((await configuration(query, {})).status).toBe(401);
    expect((await configuration(query, signed(['EUR'], '2020-01-01T00:00:00Z'))).status).toBe(401);
  });

  test('its switches: garbage, and a mandatory field left out', async () => {
    const query = 'currency=EUR&currencyMultiplier=1&gameCode=demo-slot';
    await fault({ match: { path: '/getGameConfiguration' }, fault: 'garbage' });
    const garbage = await configuration(query, signed(['EUR']));
    expect(() => JSON.parse(garbage.text) as unknown).toThrow();
    await fault({ match: { path: '/getGameConfiguration' }, fault: 'omit', fields: ['config.stakes'] });
    const { config } = JSON.parse((await configuration(query, signed(['EUR']))).text) as { config: object };
    expect(Object.keys(config)).not.toContain('stakes');
    expect(Object.keys(config)).toContain('expectedRtp');
  });

  const autoClose = (gameRound = 'round-1', headers: Record<string, string> = { 'X-H-AUTH-ID': 'gp1' }) =>
    post('/doAutoClose', { gameRound, gameSettings: { autoplayEnabled: true } }, headers);

  test('doAutoClose closes the open round with a token of its own, without a signature', async () => {
    await sitDown();
    await page('spin', { stake: 10 });
    expect((await autoClose()).status).toBe(200);
    expect(service.round?.status).toBe('closed');
    expect(service.paths().slice(-3)).toEqual([
      '/getTokenForGameRound',
      '/getGameRoundInfo',
      '/endGameRound',
    ]);
    expect(service.calls.at(-1)?.body).toMatchObject({ token: 'round-token', gameRound: 'round-1' });
  });

  test('doAutoClose sends a win that is still owed first', async () => {
    await sitDown();
    service.numbers = NO_WIN;
    await page('spin', { stake: 10 });
    // Every try to hand the win over is lost, and so is every question after it.
    service.lose.push(...Array<string[]>(4).fill(['/addWin', '/getGameRoundInfo']).flat());
    service.numbers = [0];
    expect((await page('win')).status).toBe(502);
    const wins = () => service.calls.filter(({ path }) => path === '/addWin').map(({ body }) => body);
    const [sent, ...more] = wins();
    expect(more).toEqual([sent, sent, sent]);
    expect((await autoClose()).status).toBe(200);
    expect(wins().slice(4)).toEqual([{ ...sent, token: 'round-token' }]);
    expect(service.paths().lastIndexOf('/endGameRound')).toBeGreaterThan(
      service.paths().lastIndexOf('/addWin'),
    );
  });

  test('doAutoClose sends a win that the service had no room for', async () => {
    await sitDown();
    service.numbers = NO_WIN;
    await page('spin', { stake: 10 });
    service.full.push(...Array<string>(4).fill('/addWin'));
    service.numbers = [0];
    expect((await page('win')).status).toBe(422);
    expect(service.round?.won).toBe(0);
    expect((await autoClose()).status).toBe(200);
    expect(service.round?.won).toBeGreaterThan(0);
  });

  test('doAutoClose is no 200 where the round does not close, and none for another provider', async () => {
    expect((await autoClose()).status).not.toBe(200);
    expect((await autoClose('round-1', { 'X-H-AUTH-ID': 'gp2' })).status).toBe(401);
    expect((await autoClose('round-1', {})).status).toBe(401);
  });

  test('a body that is too large gets 413', async () => {
    const reply = await post('/getGameResult', { gameRound: 'x'.repeat(5 * 1024 * 1024) }, signed(['x']));
    expect(reply).toMatchObject({ status: 413, body: { errorCode: { id: 1000 } } });
  });

  test('its switches: a status, 200 without closing, hanging', async () => {
    await sitDown();
    await page('spin', { stake: 10 });
    await fault({ match: { path: '/doAutoClose' }, fault: 'status', status: 503 });
    expect((await post('/doAutoClose', {}, {})).status).toBe(401);
    const failing = await fetch(`${game.url}/doAutoClose`, {
      method: 'POST',
      headers: { 'X-H-AUTH-ID': 'gp1' },
      body: JSON.stringify({ gameRound: 'round-1', gameSettings: {} }),
    });
    expect(failing.status).toBe(503);
    await fault({ match: { path: '/doAutoClose' }, fault: 'status', status: 200, body: {} });
    expect((await autoClose()).status).toBe(200);
    expect(service.round?.status).toBe('open');
    await fault({ match: { path: '/doAutoClose' }, fault: 'hang' });
    const hanging = fetch(`${game.url}/doAutoClose`, {
      method: 'POST',
      headers: { 'X-H-AUTH-ID': 'gp1' },
      body: JSON.stringify({ gameRound: 'round-1', gameSettings: {} }),
      signal: AbortSignal.timeout(300),
    });
    await expect(hanging).rejects.toThrow();
  });

  test('getGameResult and doGetGameHistory tell the round as strings, signed by its gameRound', async () => {
    await sitDown();
    service.numbers = SEVENS;
    await page('spin', { stake: 10 });
    const told = { reels: 'seven seven seven', stake: '10', spinWin: '5000' };
    for (const path of ['/getGameResult', '/doGetGameHistory']) {
      const reply = await post(path, { gameRound: 'round-1' }, signed(['round-1']));
      expect(reply).toEqual({ status: 200, body: told });
      expect((await post(path, { gameRound: 'round-1' }, signed(['round-2']))).status).toBe(401);
    }
  });
});
