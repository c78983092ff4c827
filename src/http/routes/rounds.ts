import type Router from '@koa/router';
import type { RoundReply } from '../../contracts/gameround';
import { refuse } from '../../domain/errors';
import { parseTimestamp } from '../../domain/time';
import { gameEngineRoute, sessionRoute, type SessionCall } from '../game-engine-call';
import { noteRound, ok, type Answer, type CallState, type RouteContext } from '../route-context';
import { gameReply, spinsAvailable, tokenData } from '../replies';
import * as operations from '../operations/game-engine';
import type { AuthHeaders } from '../signatures';
import { assertCanStart, assertCanPlay, readRound, roundsFor } from '../authorization';

/** Game-engine calls that change a round (docs/interface#game-engine-api). */
export function roundRoutes(http: RouteContext, router: Router<CallState>): void {
  sessionRoute(http, router, operations.startGameRound, { fresh: true }, async (call) => {
    const { session, requestId, input } = call;
    const { rngResult, externalGameProviderRoundId } = input;
    const rounds = roundsFor(http, session);
    await assertCanStart(rounds, session, {
      requestId,
      ...(externalGameProviderRoundId === undefined ? {} : { externalGameProviderRoundId }),
      ...(rngResult.rngCallId === undefined ? {} : { rngCallId: rngResult.rngCallId }),
    });
    if (input.debitInformation.currency !== session.currency) {
      throw refuse('INVALIDREQUEST', 'debitInformation.currency is not the session’s currency');
    }
    const { token: _token, ...command } = input;
    return answered(http, call, await rounds.commands.startGameRound({ ...command, session, requestId }));
  });

  sessionRoute(http, router, operations.addWin, { fresh: false }, async (call) => {
    const { commands, ...command } = roundCommand(http, call);
    return answered(http, call, await commands.addWin(command));
  });

  sessionRoute(http, router, operations.endGameRound, { fresh: false }, async (call) => {
    const { commands, ...command } = roundCommand(http, call);
    return answered(http, call, await commands.endGameRound(command));
  });

  sessionRoute(http, router, operations.collectWin, { fresh: false }, async (call) => {
    const { commands, ...command } = roundCommand(http, call);
    return answered(http, call, await commands.collectWin(command));
  });

  sessionRoute(http, router, operations.voidGameRound, { fresh: false }, async (call) => {
    const { commands, ...command } = roundCommand(http, call);
    return answered(http, call, await commands.voidGameRound(command));
  });

  spinCounterRoutes(http, router);

  gameEngineRoute(http, router, operations.testPing, ({ headers, body, input }) =>
    Promise.resolve(ok({ testData: input.testData, seen: seenIn(http, headers, body) })),
  );
}

/** What helps to write a signer. The signature is right. */
function seenIn(
  { deps }: RouteContext,
  { authId: id, timestamp }: AuthHeaders,
  body: Buffer,
): object | undefined {
  const at = parseTimestamp(timestamp);
  if (!deps.signatureHints || at === undefined) return undefined;
  const signed = `${body.toString()}#${timestamp}`;
  return { id, bytes: body.length, signed, ageSeconds: (deps.clock() - at) / 1_000 };
}

function spinCounterRoutes(http: RouteContext, router: Router<CallState>): void {
  sessionRoute(http, router, operations.addSpinCounterGameState, { fresh: false }, async (call) => {
    const { commands, rngResult, ...command } = roundCommand(http, call);
    const { rngCallId, result } = rngResult;
    const reply = await commands.addSpinCounterGameState({
      ...command,
      ...result,
      ...(rngCallId === undefined ? {} : { rngCallId }),
    });
    return answered(http, call, reply);
  });

  sessionRoute(
    http,
    router,
    operations.getAvailableSpinCounter,
    { fresh: false },
    async ({ session, token, input }) => {
      assertCanPlay(session);
      const round = await readRound(roundsFor(http, session), session, input.gameRound);
      return ok({
        tokenData: tokenData(session, token, input.gameRound),
        amountToCollect: round.amountToCollect,
        spinsAvailable: spinsAvailable(round, input.counterType),
      });
    },
  );
}

/** The command of a call on an existing round, and the service that carries it out. */
function roundCommand<Input extends { token: string; gameRound: string }>(
  http: RouteContext,
  { session, requestId, input }: SessionCall<Input>,
) {
  assertCanPlay(session);
  const { token: _token, ...command } = input;
  return { ...command, session, requestId, commands: roundsFor(http, session).commands };
}

function answered(
  http: RouteContext,
  { ctx, session, token }: SessionCall<unknown>,
  reply: RoundReply,
): Answer {
  noteRound(ctx, reply.gameRoundInfo.hash);
  if (reply.balance !== undefined && reply.isRepeat !== true) {
    http.deps.sessions.keepBalance(session.sessionId, reply.balance, false);
  }
  if (reply.refusal !== undefined) {
    ctx.state.logFields.errorId = reply.refusal.errorCode.id;
    ctx.state.logFields.errorMsg = reply.refusal.errorCode.msg;
  }
  return gameReply(session, token, reply);
}
