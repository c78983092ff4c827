import type Router from '@koa/router';
import type { z } from 'zod';
import type { RoundService } from '../../commands/types';
import type { RoundReply } from '../../contracts/gameround';
import { refuse } from '../../domain/errors';
import type { Session } from '../../domain/session';
import { parseTimestamp } from '../../domain/time';
import { gameEngineRoute, sessionRoute, type SessionCall } from '../game-engine-call';
import { noteRound, ok, type Answer, type CallState, type RouteContext } from '../route-context';
import { gameReply, spinsAvailable, tokenData } from '../replies';
import * as operations from '../operations/game-engine';
import type { Operation } from '../operations/operation';
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
      externalGameProviderRoundId,
      rngCallId: rngResult.rngCallId,
    });
    if (input.debitInformation.currency !== session.currency) {
      throw refuse('INVALIDREQUEST', 'debitInformation.currency is not the session’s currency');
    }
    const { token: _token, ...command } = input;
    return answered(http, call, await rounds.commands.startGameRound({ ...command, session, requestId }));
  });

  commandRoute(http, router, operations.addWin, ({ commands, ...command }) => commands.addWin(command));
  commandRoute(http, router, operations.endGameRound, ({ commands, ...command }) =>
    commands.endGameRound(command),
  );
  commandRoute(http, router, operations.collectWin, ({ commands, ...command }) =>
    commands.collectWin(command),
  );
  commandRoute(http, router, operations.voidGameRound, ({ commands, ...command }) =>
    commands.voidGameRound(command),
  );
  commandRoute(
    http,
    router,
    operations.addSpinCounterGameState,
    ({ commands, rngResult: { rngCallId, result }, ...command }) =>
      commands.addSpinCounterGameState({ ...command, ...result, rngCallId }),
  );
  availableSpinCounterRoute(http, router);

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

function availableSpinCounterRoute(http: RouteContext, router: Router<CallState>): void {
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

/** A call on an existing round. `carryOut` gets its fields, and the service that takes the command. */
function commandRoute<Schema extends z.ZodType<{ token: string; gameRound: string }>>(
  http: RouteContext,
  router: Router<CallState>,
  operation: Operation<Schema>,
  carryOut: (
    call: Omit<z.infer<Schema>, 'token'> & {
      session: Session;
      requestId: string;
      commands: RoundService;
    },
  ) => Promise<RoundReply>,
): void {
  sessionRoute(http, router, operation, { fresh: false }, async (call) => {
    const { session, requestId, input } = call;
    assertCanPlay(session);
    const { token: _token, ...command } = input;
    const { commands } = roundsFor(http, session);
    return answered(http, call, await carryOut({ ...command, session, requestId, commands }));
  });
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
