import { createRng } from '../../src/rng';
import {
  HASH,
  providerCall,
  sessionToken,
  snapshot,
  startService,
  tenants,
  tokenDataOf,
  type Service,
} from './support';

const withRng = () => tenants(({ games }) => Object.assign(games[0]!, { serviceRng: true }));
const payload = { rngEndPoint: 'getDoubles', rngPayload: { count: 3, min: 0, max: 1 } };

describe('getRandomResult', () => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService({ tenants: withRng() });
    token = await sessionToken(service);
  });
  afterAll(() => service.stop());

  const draw = (body: object) => providerCall(service, '/getRandomResult', { token, ...body });

  it('gives as many values as asked for, and logs the draw under its rngRequestId', async () => {
    const reply = await providerCall(
      service,
      '/getRandomResult',
      { token, ...payload },
      { requestId: 'call-1' },
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      tokenData: tokenDataOf(token, ''),
      values: expect.any(Array) as unknown,
      rngRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    });
    const values = reply.body.values as number[];
    expect(values).toHaveLength(3);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(service.draws).toEqual([
      expect.objectContaining({
        ...{ rngRequestId: reply.body.rngRequestId, requestId: 'call-1', values, ...payload },
        ...{ operatorId: 'op1', playerId: 'p1', gameCode: 'slot', providerId: 'gp1', mode: 'real' },
      }),
    ]);
    expect(JSON.stringify(service.draws)).not.toContain(token);
  });

  it('draws integers and shuffles', async () => {
    const integers = await draw({ rngEndPoint: 'getIntegers', rngPayload: { count: 50, min: -1, max: 1 } });
    expect(new Set(integers.body.values as number[])).toEqual(new Set([-1, 0, 1]));
    const shuffle = await draw({ rngEndPoint: 'getShuffle', rngPayload: { count: 5, min: 1, max: 5 } });
    expect([...(shuffle.body.values as number[])].sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('names the token’s open round', async () => {
    service.openRound.mockResolvedValueOnce(snapshot());
    expect((await draw(payload)).body.tokenData).toEqual(tokenDataOf(token, HASH));
  });

  it.each([
    ['rngEndPoint', { ...payload, rngEndPoint: 'getBytes' }],
    ['rngEndPoint', { rngPayload: payload.rngPayload }],
    ['rngPayload', { rngEndPoint: 'getDoubles' }],
    ['rngPayload.count', { ...payload, rngPayload: { count: 0, min: 0, max: 1 } }],
    ['rngPayload.count', { ...payload, rngPayload: { count: 10_001, min: 0, max: 1 } }],
    ['rngPayload.max', { ...payload, rngPayload: { count: 1, min: 1, max: 1 } }],
    ['rngPayload.min', { rngEndPoint: 'getIntegers', rngPayload: { count: 1, min: 0.5, max: 1 } }],
    ['rngPayload.count', { rngEndPoint: 'getShuffle', rngPayload: { count: 2, min: 1, max: 5 } }],
  ])('refuses a wrong %s: %j', async (field, body) => {
    const before = service.draws.length;
    const reply = await draw(body);
    expect([reply.status, reply.body.errorCode?.id]).toEqual([400, 1000]);
    expect(reply.body.errorCode?.msg).toContain(field);
    expect(service.draws).toHaveLength(before);
  });
});

describe('getRandomResult is refused', () => {
  it('for games that bring their own results', async () => {
    const service = await startService();
    const reply = await providerCall(service, '/getRandomResult', {
      token: await sessionToken(service),
      ...payload,
    });
    expect([reply.status, reply.body.errorCode?.msg]).toEqual([400, 'MODENOTALLOWED']);
    await service.stop();
  });

  it('in history mode', async () => {
    const service = await startService({ tenants: withRng() });
    service.commands.describeRound.mockResolvedValue(snapshot({ status: 'closed' }));
    const token = await sessionToken(service, { mode: 'history', gameround: HASH });
    const reply = await providerCall(service, '/getRandomResult', { token, ...payload });
    expect([reply.status, reply.body.errorCode?.msg]).toEqual([400, 'MODENOTALLOWED']);
    await service.stop();
  });

  it('when the draw can’t be logged: no value leaves', async () => {
    const rng = createRng({ log: () => Promise.reject(new Error('no server')) });
    const service = await startService({ tenants: withRng(), deps: { rng } });
    const reply = await providerCall(service, '/getRandomResult', {
      token: await sessionToken(service),
      ...payload,
    });
    expect([reply.status, Object.keys(reply.body)]).toEqual([503, ['errorCode']]);
    await service.stop();
  });
});
