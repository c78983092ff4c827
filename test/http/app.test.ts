import { request as httpRequest } from 'node:http';
import { createHealth, type Part } from '../../src/http/health';
import { errorObject } from '../../src/domain/errors';
import {
  launchToken,
  operatorCall,
  providerCall,
  readReply,
  roundReply,
  sessionToken,
  start,
  startService,
  tenants,
  type Service,
} from './support';

describe('every reply', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const get = async (path: string, options: RequestInit = {}) =>
    readReply(await fetch(service.url + path, options), options.method);

  it.each(['/nothing', '/addWin/', '/ADDWIN', '/__proto__', '/%zz', '/health', '/metrics'])(
    '%s is 404',
    async (path) => {
      const reply = await get(path);
      expect([reply.status, reply.body]).toEqual([404, { errorCode: errorObject('NOTFOUND') }]);
    },
  );

  it.each([
    ['GET', '/startGameRound', 'POST'],
    ['DELETE', '/getBalance', 'POST'],
    ['POST', '/connect', 'GET'],
    ['PATCH', '/health/live', 'GET'],
  ])('%s %s is 405', async (method, path, allowed) => {
    const reply = await get(path, { method });
    expect([reply.status, reply.body]).toEqual([405, { errorCode: errorObject('NOTFOUND') }]);
    expect(reply.headers.get('allow')).toContain(allowed);
  });

  it.each(['http://[', 'http://[::1/x', 'http://[/connect?token=x'])(
    'a target that is no URL, %s, is 400',
    async (path) => {
      const { port } = new URL(service.url);
      const reply = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const call = httpRequest({ host: '127.0.0.1', port, path }, (response) => {
          let text = '';
          response.on('data', (part: Buffer) => (text += part.toString()));
          response.on('end', () => resolve({ status: response.statusCode, text }));
        });
        call.on('error', reject).end();
      });
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.text)).toMatchObject({ errorCode: { id: 1000 } });
    },
  );

  it('carries security headers and is never stored', async () => {
    for (const path of ['/health/live', '/nothing', '/connect?token=x']) {
      const { headers } = await get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-response-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('to an internal error shows nothing of the error', async () => {
    const token = await sessionToken(service);
    service.commands.endGameRound.mockRejectedValue(
      Object.assign(new Error('secret path /srv/gameround'), { status: 400, expose: true }),
    );
    const reply = await providerCall(service, '/endGameRound', { token, gameRound: 'r' });
    expect([reply.status, reply.body]).toEqual([500, { errorCode: errorObject('INTERNALERROR') }]);
    expect(service.log.join()).toContain('unexpected error');
  });

  it('is logged: a line in, a line out, with ids and without secrets', async () => {
    service.log.splice(0);
    service.commands.startGameRound.mockResolvedValue(roundReply());
    const launch = await launchToken(service);
    const connected = await get(`/connect?token=${launch}`);
    const token = connected.body.token as string;
    await providerCall(service, '/startGameRound', start(token), { requestId: 'call-7' });
    await providerCall(service, '/startGameRound', start('wrong-token-0123456789'), { requestId: 'call-8' });
    await operatorCall(service, 'GET', '/getGameList', [], undefined, { secret: 'x' });
    const lines = service.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const hash = roundReply().gameRoundInfo.hash;
    expect(lines.filter(({ requestId }) => requestId === 'call-7')).toEqual([
      expect.objectContaining({ msg: 'call', route: '/startGameRound', method: 'POST' }),
      expect.objectContaining({
        ...{ msg: 'answered', route: '/startGameRound', status: 200, providerId: 'gp1', operatorId: 'op1' },
        ...{ gameround: hash, workflowId: `gameround-${hash}` },
      }),
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({ requestId: 'call-8', status: 401, errorId: 2005 }),
    );
    const all = service.log.join('');
    for (const secret of [launch, token, 'wrong-token-0123456789', 'secret-of-', '?token', 'x-h-auth-sig']) {
      expect(all).not.toContain(secret);
    }
  });

  it('is measured by route and status', async () => {
    await get('/no-such-route');
    const { text } = await service.metrics.exposition();
    expect(text).toContain('route="unmatched",status="404"');
    expect(text).not.toContain('no-such-route');
  });
});

describe('before MongoDB was read', () => {
  it('an unknown id gets 503, and a wrong signature 401', async () => {
    const incomplete = { ...tenants(), complete: false };
    const service = await startService({ tenants: incomplete });
    expect((await providerCall(service, '/testPing', {}, { id: 'gp9' })).status).toBe(503);
    expect((await providerCall(service, '/testPing', {}, { id: 'gp1', secret: 'x' })).status).toBe(401);
    expect((await operatorCall(service, 'GET', '/getGameList', [], undefined, { id: 'op9' })).status).toBe(
      503,
    );
    await service.stop();
  });
});

describe('health', () => {
  it('is unavailable until every part has answered, then only without Temporal or a worker', async () => {
    const down = new Set<Part>(['temporal', 'mongodb', 'worker']);
    const probe = (part: Part) => () =>
      down.has(part) ? Promise.reject(new Error(part)) : Promise.resolve();
    let now = 0;
    const health = createHealth(
      { temporal: probe('temporal'), mongodb: probe('mongodb'), worker: probe('worker') },
      () => (now += 2_000),
    );
    const service = await startService({ deps: { health } });
    const ready = async () => {
      const response = await fetch(`${service.url}/health/ready`);
      return [response.status, await response.json()];
    };
    const missing = (...parts: Part[]) => [503, { status: 'unavailable', missing: parts }];
    expect(await ready()).toEqual(missing('temporal', 'mongodb', 'worker'));
    down.delete('temporal');
    down.delete('worker');
    expect(await ready()).toEqual(missing('mongodb'));
    down.delete('mongodb');
    expect(await ready()).toEqual([200, { status: 'ready', missing: [] }]);
    down.add('mongodb');
    expect(await ready()).toEqual([200, { status: 'degraded', missing: ['mongodb'] }]);
    down.add('worker');
    expect(await ready()).toEqual(missing('mongodb', 'worker'));
    await service.stop();
  });

  it('asks the parts once for many readers, and not every time', async () => {
    let asked = 0;
    const probe = () => Promise.resolve(void (asked += 1));
    const health = createHealth({ temporal: probe, mongodb: probe, worker: probe }, () => 5);
    await Promise.all([health.check(), health.check()]);
    await health.check();
    expect(asked).toBe(3);
  });
});
