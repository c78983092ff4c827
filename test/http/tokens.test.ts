import {
  BALANCE,
  HASH,
  providerCall,
  roundReply,
  sessionToken,
  snapshot,
  start,
  startService,
  launchToken,
  tokenDataOf,
  type Service,
} from './support';

const HOUR = 3_600_000;

let service: Service;
let token: string;
beforeEach(async () => {
  service = await startService();
  token = await sessionToken(service);
});
afterEach(() => service.stop());

describe('tokens', () => {
  it('unknown, and another provider’s: the same 401', async () => {
    const unknown = await providerCall(service, '/getBalance', { token: 'A'.repeat(43) });
    expect([unknown.status, unknown.body.errorCode?.id]).toEqual([401, 2005]);
    const others = await providerCall(service, '/getBalance', { token }, { id: 'gp2' });
    expect([others.status, others.text]).toEqual([401, unknown.text]);
    const launch = await launchToken(service, { playerId: 'p3' });
    const launchOfOther = await providerCall(service, '/getBalance', { token: launch }, { id: 'gp2' });
    expect([launchOfOther.status, launchOfOther.text]).toEqual([401, unknown.text]);
    expect((await providerCall(service, '/getBalance', { token: launch })).status).toBe(200);
  });

  it('expired: nothing new, but what it opened can be read and finished', async () => {
    const { session } = await service.sessions.resolve(token);
    service.clock.now += HOUR + 1;
    service.commands.endGameRound.mockResolvedValue(roundReply());
    service.commands.startGameRound.mockResolvedValue(roundReply());
    const call = async (path: string, body: object) => {
      const reply = await providerCall(service, path, { token, ...body });
      return [reply.status, reply.body.errorCode?.msg];
    };
    expect(await call('/startGameRound', start(token))).toEqual([401, 'TOKENEXPIRED']);
    expect(await call('/getBalance', {})).toEqual([401, 'TOKENEXPIRED']);
    expect(await call('/getGameRoundInfo', { gameRound: HASH })).toEqual([404, 'GAMEROUNDNOTFOUND']);
    service.commands.describeRound.mockResolvedValue(snapshot({}, { sessionId: 'another session' }));
    expect(await call('/getGameRoundInfo', { gameRound: HASH })).toEqual([401, 'TOKENEXPIRED']);
    service.commands.describeRound.mockResolvedValue(snapshot({}, { sessionId: session.sessionId }));
    expect(await call('/endGameRound', { gameRound: HASH })).toEqual([200, undefined]);
    expect(await call('/getGameRoundInfo', { gameRound: HASH })).toEqual([200, undefined]);
    // The same start again names the round that it opened.
    expect(await call('/startGameRound', start(token))).toEqual([200, undefined]);
  });

  it('of getTokenForGameRound serve their round, start none, and are for its provider only', async () => {
    service.commands.describeRound.mockImplementation((asked) =>
      Promise.resolve(asked === HASH ? snapshot() : undefined),
    );
    const others = await providerCall(service, '/getTokenForGameRound', { gameRound: HASH }, { id: 'gp2' });
    const unknown = await providerCall(service, '/getTokenForGameRound', { gameRound: 'x' });
    expect([others.status, others.text]).toEqual([404, unknown.text]);

    const given = await providerCall(service, '/getTokenForGameRound', { gameRound: HASH });
    const { currentToken } = given.body.tokenData as { currentToken: string };
    expect(given.body).toEqual({ tokenData: tokenDataOf(currentToken) });
    expect(Buffer.from(currentToken, 'base64url')).toHaveLength(32);

    service.commands.endGameRound.mockResolvedValue(roundReply());
    const by = (path: string, body: object) =>
      providerCall(service, path, { ...body, token: currentToken }).then(({ status }) => status);
    expect(await by('/endGameRound', { gameRound: HASH })).toBe(200);
    expect(await by('/getGameRoundInfo', {})).toBe(200);
    expect(await by('/getGameRoundInfo', { gameRound: 'another' })).toBe(404);
    expect(await by('/startGameRound', start(''))).toBe(400);
    expect(await by('/getBalance', {})).toBe(400);
    expect(service.commands.startGameRound).not.toHaveBeenCalled();
    service.clock.now += HOUR + 1;
    expect(await by('/endGameRound', { gameRound: HASH })).toBe(200);
  });

  it('of two operators’ players with one externalGameProviderRoundId lead to two sessions', async () => {
    service.commands.startGameRound.mockResolvedValue(roundReply());
    const tokens = [token, await sessionToken(service, {}, { id: 'op2' })];
    for (const each of tokens) {
      const body = start(each, { externalGameProviderRoundId: 'same' });
      expect((await providerCall(service, '/startGameRound', body)).body.tokenData).toMatchObject({
        playerId: 'p1',
        currentToken: each,
      });
    }
    const owners = service.commands.startGameRound.mock.calls.map(([{ session }]) => session.operatorId);
    expect(owners).toEqual(['op1', 'op2']);
  });

  it('are the session’s: 50 signed calls at once with a launch token share one', async () => {
    const launch = await launchToken(service, { playerId: 'p9' });
    service.commands.startGameRound.mockResolvedValue(roundReply({ balance: BALANCE }));
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => providerCall(service, '/startGameRound', start(launch))),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const sessions = service.commands.startGameRound.mock.calls.map(([{ session }]) => session.sessionId);
    expect(new Set(sessions).size).toBe(1);
  });
});
