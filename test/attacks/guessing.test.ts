import { errorObject } from '../../src/domain/errors';
import { DEFAULT_LIMITS } from '../../src/http/deps';
import { Limits } from '../../src/http/limits';
import { refuse } from '../../src/domain/errors';
import {
  connect,
  launchToken,
  providerCall,
  sessionToken,
  startService,
  type Service,
} from '../http/support';

/* Guessed tokens, and launch links that are used again. */

describe('guessing tokens', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({
      limits: { unknownTokensPerAddress: 3, unknownTokensPerProvider: 2 },
      deps: { trustedProxies: 1 },
    });
  });
  afterEach(() => service.stop());

  const guess = async (path: string, from: string): Promise<(number | string | null)[]> => {
    const response = await fetch(`${service.url}${path}?token=guess`, {
      headers: { 'x-forwarded-for': from },
    });
    const body = (await response.json()) as { errorCode: { id: number } };
    return [response.status, body.errorCode.id, response.headers.get('retry-after')];
  };
  const UNKNOWN = [401, 2005, null];
  const limited = (seconds: number) => [429, 1003, String(seconds)];

  it('from one address gets 429 for the rest of the minute, at every call', async () => {
    for (const path of ['/connect', '/refresh', '/logout'])
      expect(await guess(path, '192.0.2.1')).toEqual(UNKNOWN);
    service.clock.now += 20_000;
    for (const path of ['/connect', '/refresh', '/logout'])
      expect(await guess(path, '192.0.2.1')).toEqual(limited(40));
    expect(await guess('/connect', '192.0.2.2')).toEqual(UNKNOWN);
    // A minute is a minute, whatever the machine's clock is set to meanwhile.
    service.clock.setBackMs = 3_600_000;
    service.clock.now += 40_000;
    expect(await guess('/connect', '192.0.2.1')).toEqual(UNKNOWN);
    service.clock.setBackMs = 0;
  });

  it('from one IPv6 network counts as one address', async () => {
    for (const last of ['1', '2', '3']) expect(await guess('/connect', `2001:db8::${last}`)).toEqual(UNKNOWN);
    expect(await guess('/connect', '2001:db8::4')).toEqual(limited(60));
    expect(await guess('/connect', '2001:db8:0:1::4')).toEqual(UNKNOWN);
  });

  it('does not lock out a valid token behind the same proxy or of the same provider', async () => {
    const proxied = { headers: { 'x-forwarded-for': '192.0.2.1' } };
    for (let time = 0; time < 5; time += 1) await guess('/connect', '192.0.2.1');
    const launch = await launchToken(service);
    const connected = await fetch(`${service.url}/connect?token=${launch}`, proxied);
    expect(connected.status).toBe(200);
    const { token } = (await connected.json()) as { token: string };

    const ask = async (asked: string, id = 'gp1') => {
      const { status, headers } = await providerCall(service, '/getTokenData', { token: asked }, { id });
      return [status, headers.get('retry-after')];
    };
    expect([await ask('a'), await ask('b'), await ask('c')]).toEqual([
      [401, null],
      [401, null],
      [429, '60'],
    ]);
    expect(await ask(token)).toEqual([200, null]);
    expect(await ask('A'.repeat(43))).toEqual([429, '60']);
    expect(await ask('a', 'gp2')).toEqual([401, null]);
    expect((await fetch(`${service.url}/refresh?token=${token}`, proxied)).status).toBe(200);
  });

  it('is counted, and the token is not logged', async () => {
    for (let time = 0; time < 4; time += 1) await guess('/refresh', '192.0.2.1');
    const { text: metrics } = await service.metrics.exposition();
    expect(metrics).toMatch(/gameround_refused_authentications_total\{reason="token"\} 4/);
    expect(service.log.join()).not.toContain('guess');
    expect(errorObject('RATELIMITEXCEEDED').id).toBe(1003);
  });

  it('from very many addresses takes bounded memory', async () => {
    const limits = new Limits({ ...DEFAULT_LIMITS, unknownTokensPerAddress: 1 }, () => 0);
    const ask = (address: string): Promise<string> =>
      limits
        .throttleUnknownTokens({ address }, () => Promise.reject(refuse('TOKENNOTFOUND')))
        .then(
          () => 'found',
          (error: Error) => error.message,
        );
    expect([await ask('10.255.0.0'), await ask('10.255.0.0')]).toEqual([
      'TOKENNOTFOUND',
      'RATELIMITEXCEEDED',
    ]);
    for (let host = 0; host < 25_000; host += 1) await ask(`10.0.${host >> 8}.${host & 255}`);
    // Forgotten, since others came: that is what a bound means.
    expect(await ask('10.255.0.0')).toBe('TOKENNOTFOUND');
  });
});

describe('a launch link', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.stop());

  it.each([
    ['at 59.999 s is good', 59_999, [200, undefined]],
    ['at 60 s is late', 60_000, [401, 'LAUNCHURLSPENT']],
    ['at 61 s is late', 61_000, [401, 'LAUNCHURLSPENT']],
  ])('%s', async (_what, afterMs, expected) => {
    const token = await launchToken(service);
    service.clock.now += afterMs;
    const { status, body } = await connect(service, token);
    expect([status, body.errorCode?.msg]).toEqual(expected);
  });

  it('works once: afterwards neither for the page nor for the provider, and its session has another token', async () => {
    const launch = await launchToken(service);
    const token = (await connect(service, launch)).body.token as string;
    expect(token).not.toBe(launch);
    expect((await connect(service, launch)).body.errorCode?.msg).toBe('LAUNCHURLSPENT');
    const signed = await providerCall(service, '/getBalance', { token: launch });
    expect([signed.status, signed.body.errorCode?.msg]).toEqual([401, 'LAUNCHURLSPENT']);
    // Somebody else's is as if it had never been.
    expect((await providerCall(service, '/getBalance', { token: launch }, { id: 'gp2' })).status).toBe(401);
    expect((await providerCall(service, '/getBalance', { token })).status).toBe(200);
  });

  it('of 50 connects and 50 signed calls at once opens one session', async () => {
    const launch = await launchToken(service);
    const connects = Array.from({ length: 50 }, () => connect(service, launch));
    const calls = Array.from({ length: 50 }, () => providerCall(service, '/getTokenData', { token: launch }));
    const connected = (await Promise.all(connects)).filter(({ status }) => status === 200).length;
    const called = (await Promise.all(calls)).filter(({ status }) => status === 200).length;
    // Whoever came first decides: the page, or the provider's server, for all of its calls.
    expect([connected, called]).toEqual(connected === 1 ? [1, 0] : [0, 50]);
    expect(await sessionToken(service)).not.toBe(launch);
  });
});
