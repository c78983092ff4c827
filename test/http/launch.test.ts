import { errorObject } from '../../src/domain/errors';
import { everySetting } from '../support/spec-settings';
import {
  connect,
  getGameUrl,
  HASH,
  launchToken,
  operatorCall,
  providerCall,
  readReply,
  sessionToken,
  snapshot,
  start,
  startService,
  tenants,
  type Service,
} from './support';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

describe('getGameURL', () => {
  it('counts characters as JSON Schema does', async () => {
    expect((await getGameUrl(service, { playerId: '𐀀'.repeat(128) })).status).toBe(200);
  });

  it('is the game’s URL with a token and where to take it', async () => {
    const reply = await getGameUrl(service, { mode: 'ReAl' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      url: expect.any(String) as unknown,
      isNew: true,
      internalPlayerId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    });
    const url = new URL(reply.body.url as string);
    expect(url.origin + url.pathname).toBe('https://game.example/play');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      skin: 'x',
      token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as unknown,
      login: 'https://api.example/connect',
      language: 'de',
      mode: 'real',
      gameCode: 'slot',
    });
    const again = await getGameUrl(service);
    expect(again.body).toMatchObject({ isNew: false, internalPlayerId: reply.body.internalPlayerId });
  });

  it('registers with registerPlayer as well', async () => {
    const body = { playerId: 'p7', playerdetails: { country: 'DE', address: { city: 'Köln' } } };
    const registered = await operatorCall(service, 'POST', '/registerPlayer', ['p7'], body);
    expect(registered.body).toEqual({ internalPlayerId: expect.any(String) as unknown, isNew: true });
    expect((await getGameUrl(service, { playerId: 'p7' })).body).toMatchObject({
      isNew: false,
      internalPlayerId: registered.body.internalPlayerId,
    });
  });

  it.each([
    ['an unknown game', { gameCode: 'nothing' }, 404, 'GAMENOTFOUND'],
    ['a currency that the operator has not', { currency: 'USD' }, 400, /currency/],
    ['__proto__ as currency', { currency: '__proto__' }, 400, /currency/],
    ['a mode of its own', { mode: 'fun' }, 400, /mode/],
    ['no player in real mode', { playerId: undefined }, 400, /playerId is required/],
    ['# in the player’s id', { playerId: 'a#b' }, 400, /playerId/],
    ['an unknown profile', { profile: 'vip,nobody' }, 400, /profile/],
    ['a javascript: link', { options: { homeURL: 'javascript:alert(1)' } }, 400, /options\.homeURL/],
    ['a data: link', { options: { lossLimitURL: 'data:text/html,x' } }, 400, /options\.lossLimitURL/],
    ['an option of another type', { options: { turboEnabled: 'yes' } }, 400, /options\.turboEnabled/],
    ['details that are no object', { playerdetails: 'DE' }, 400, /playerdetails/],
    ['details with a key that no database holds', { playerdetails: { a: [{ 'x\u0000': 1 }] } }, 400, /keys/],
    ['details with an inexact number', { playerdetails: { a: 1e300 } }, 400, /exact numbers/],
    ['129 characters, each of two halves', { playerId: '𐀀'.repeat(129) }, 400, /128 characters/],
    ['details without measure', { playerdetails: { a: 'x'.repeat(17_000) } }, 400, /playerdetails/],
    ['history of no round', { mode: 'history' }, 400, /gameround is required/],
  ])('refuses %s', async (_what, launch, status, message) => {
    const reply = await getGameUrl(service, launch);
    expect(reply.status).toBe(status);
    expect(reply.body.errorCode?.msg).toMatch(message);
  });

  it.each([
    ['https://game.example/play', 'https://game.example/play?token='],
    ['https://game.example/play?skin=a%20b&flag', 'https://game.example/play?skin=a%20b&flag&token='],
    ['https://game.example/play?x=1#/lobby?a=b', 'https://game.example/play?x=1&token='],
  ])('keeps the query and the fragment of launchUrl %s as they are', async (given, start) => {
    const own = await startService({
      tenants: tenants(({ games }) => (games[0]!.launchUrl = given)),
    });
    const url = (await getGameUrl(own)).body.url as string;
    expect(url.slice(0, start.length)).toBe(start);
    expect(new URL(url).hash).toBe(new URL(given).hash);
    expect(new URL(url).searchParams.get('login')).toBe('https://api.example/connect');
    await own.stop();
  });

  it('replays in history mode a round of this player that is over', async () => {
    const launch = { mode: 'history', gameround: HASH };
    expect((await getGameUrl(service, launch)).status).toBe(404);
    service.commands.describeRound.mockResolvedValue(snapshot());
    expect((await getGameUrl(service, launch)).body.errorCode).toEqual(errorObject('GAMEROUNDOPEN'));
    expect((await getGameUrl(service, { ...launch, playerId: 'p2' })).status).toBe(404);
    expect((await getGameUrl(service, launch, { id: 'op2' })).status).toBe(404);

    service.commands.describeRound.mockResolvedValue(snapshot({ status: 'cancel' }));
    const reply = await getGameUrl(service, launch);
    const query = new URL(reply.body.url as string).searchParams;
    expect([query.get('mode'), query.get('gameRound')]).toEqual(['history', HASH]);
    const connected = await connect(service, query.get('token')!);
    expect(connected.body.tokenData).toMatchObject({ mode: 'history', gameRound: HASH });
    expect(service.getBalance).not.toHaveBeenCalled();

    const token = connected.body.token as string;
    const by = (path: string, body: object = {}) =>
      providerCall(service, path, { token, ...body }).then(({ status }) => status);
    expect(await by('/getGameRoundInfo')).toBe(200);
    expect(await by('/getGameRoundInfo', { gameRound: 'another' })).toBe(404);
    for (const path of [
      '/startGameRound',
      '/endGameRound',
      '/getBalance',
      '/getTokenData',
      '/getUncollectedAmount',
    ]) {
      expect([path, await by(path, { ...start(token), gameRound: HASH })]).toEqual([path, 400]);
    }
  });

  it('needs no player in demo mode, and asks no wallet', async () => {
    const token = await launchToken(service, { playerId: undefined, mode: 'demo', currency: 'JPY' });
    const reply = await connect(service, token);
    expect(reply.body).toMatchObject({
      balance: { totalBalance: 10_000_000, mode: 'demo', currency: 'JPY' },
      tokenData: {
        mode: 'demo',
        playerId: expect.stringMatching(/^demo-/) as unknown,
        currencyMultiplier: 100,
      },
    });
    expect(service.getBalance).not.toHaveBeenCalled();
  });
});

describe('connect', () => {
  it('replies with everything a game begins with', async () => {
    service.openRound.mockResolvedValue(snapshot({}, { currency: 'BTC' }));
    const token = await launchToken(service, {
      profile: 'vip, jurisdiction-de',
      options: { homeURL: 'https://casino.example/', minStake: 7, unknown: 1 },
      currency: 'BTC',
    });
    const reply = await connect(service, token);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.body).sort()).toEqual(
      [
        'token',
        'backendUrl',
        'refreshUrl',
        'logoutUrl',
        'balance',
        'gameSettings',
        'tokenData',
        'freePlaysAvailable',
      ].sort(),
    );
    expect(reply.body).toMatchObject({
      backendUrl: 'https://api.example',
      refreshUrl: 'https://api.example/refresh',
      logoutUrl: 'https://api.example/logout',
      balance: { totalBalance: 10_000 },
      tokenData: { gameRound: HASH, currentToken: reply.body.token, currencyMultiplier: 0.1 },
      // The profile's 500 × 0.1; the launch's 7 × 0.1, up to what is whole and still a least stake.
      gameSettings: { maxStake: 50, minStake: 1, turboEnabled: false, homeURL: 'https://casino.example/' },
    });
    expect(reply.body.token).not.toBe(token);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('gives the game every setting of the launch, with amounts multiplied once', async () => {
    const { maxStake, minStake, maxPackageStake, ...rest } = everySetting() as Record<string, number>;
    const options = { ...rest, maxStake, minStake, maxPackageStake, device: 'mobile' };
    const reply = await connect(service, await launchToken(service, { options, currency: 'JPY' }));
    expect(reply.body.gameSettings).toEqual({
      ...rest,
      maxStake: maxStake! * 100,
      minStake: minStake! * 100,
      maxPackageStake: maxPackageStake! * 100,
    });
    expect(reply.body.tokenData).toMatchObject({ device: 'mobile' });
  });

  it('succeeds once of 50 at once', async () => {
    const token = await launchToken(service);
    const replies = await Promise.all(Array.from({ length: 50 }, () => connect(service, token)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = replies.filter(({ status }) => status !== 200);
    expect(others.map(({ status, body }) => [status, body.errorCode?.msg])).toEqual(
      Array(49).fill([401, 'LAUNCHURLSPENT']),
    );
  });

  it('may be tried again when the wallet had no answer', async () => {
    const token = await launchToken(service);
    service.getBalance.mockResolvedValueOnce({ kind: 'unavailable', reason: 'time-out' });
    expect((await connect(service, token)).status).toBe(502);
    expect((await connect(service, token)).status).toBe(200);
    expect((await connect(service, token)).status).toBe(401);
  });

  it('does not use up the token by a HEAD request', async () => {
    const token = await launchToken(service);
    expect((await fetch(`${service.url}/connect?token=${token}`, { method: 'HEAD' })).status).toBe(405);
    expect((await connect(service, token)).status).toBe(200);
  });

  it('needs exactly one token', async () => {
    for (const query of ['', '?token=', '?token=a&token=b', '?token=a%23b', '?token=%00']) {
      const response = await fetch(`${service.url}/connect${query}`);
      expect([query, response.status]).toEqual([query, 400]);
    }
    expect((await connect(service, 'unknown')).status).toBe(401);
  });
});

describe('refresh and logout', () => {
  const get = async (path: string, token: string) =>
    readReply(await fetch(`${service.url}${path}?token=${token}`));

  it('renew and end a session', async () => {
    const token = await sessionToken(service);
    const reply = await get('/refresh', token);
    expect(reply.body).toEqual({
      token,
      tokenData: expect.objectContaining({ playerId: 'p1', currentToken: token }) as unknown,
    });
    expect((await get('/logout', token)).body).toEqual({});
    expect((await get('/logout', token)).status).toBe(200);
    expect((await get('/refresh', token)).body.errorCode?.msg).toBe('TOKENEXPIRED');
    const begun = await providerCall(service, '/startGameRound', start(token));
    expect([begun.status, begun.body.errorCode?.msg]).toEqual([401, 'TOKENEXPIRED']);
    expect((await get('/refresh', 'unknown')).body.errorCode?.msg).toBe('TOKENNOTFOUND');
  });
});
