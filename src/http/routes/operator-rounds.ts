import type Router from '@koa/router';
import { refusal, refuse, RefusedError } from '../../domain/errors';
import type { ReconcileResult } from '../../contracts/reconcile';
import { totalBalance } from '../../domain/classify-wallet-reply';
import { gameRoundDetail } from '../../domain/round/record';
import type { RoundSnapshot } from '../../domain/round/types';
import {
  noteRound,
  ok,
  type Answer,
  type CallState,
  type Context,
  type RouteContext,
} from '../route-context';
import { operatorRoute, type OperatorCall } from '../operator-call';
import { operatorRecord } from '../replies';
import * as operations from '../operations/operator';

/** An operator's calls about one of its rounds (docs/interface#operator-calls, #reconcile-transactions). */
export function operatorRoundRoutes(http: RouteContext, router: Router<CallState>): void {
  const { environment } = http.deps;

  operatorRoute(http, router, operations.reconcileTransactions, async ({ ctx, operator, input }) => {
    noteRound(ctx, input.gameRound);
    return reconciled(http, ctx, await reconcile(http, operator.operatorId, input.gameRound));
  });

  operatorRoute(http, router, operations.getGameRoundDetails, async (call) =>
    ok({ gameRound: operatorRecord(await playersRound(http, call), environment) }),
  );

  operatorRoute(http, router, operations.getGameRoundReport, async (call) =>
    ok({ gameRoundDetail: gameRoundDetail(await playersRound(http, call), environment) }),
  );
}

/** @throws MODENOTALLOWED for a demo round: the operator has no transactions of it */
async function reconcile(
  { deps }: RouteContext,
  operatorId: string,
  gameround: string,
): Promise<ReconcileResult> {
  try {
    return await deps.reconcile(operatorId, gameround);
  } catch (error) {
    const isUnknown = error instanceof RefusedError && error.refusal.errorCode.msg === 'GAMEROUNDNOTFOUND';
    const demo = isUnknown ? await deps.demoRounds?.commands.describeRound(gameround) : undefined;
    throw demo?.identity.operatorId === operatorId ? refuse('MODENOTALLOWED') : error;
  }
}

/** The operator's reply: 400 with its errorCode if it refused, 502 if it did not respond (docs/interface#reconcile-reply). */
function reconciled({ deps }: RouteContext, ctx: Context, { round, outcome }: ReconcileResult): Answer {
  const { kind, hashesProcessed, errorCode, balance } = outcome;
  const body = {
    gameRound: operatorRecord(round, deps.environment),
    hashesProcessed,
    ...(balance === undefined ? {} : { balance: totalBalance(balance) }),
    currency: round.identity.currency,
    mode: round.identity.mode,
  };
  if (kind === 'accepted' || kind === 'nothing') return ok(body);
  const unreachable = refusal('WALLETUNAVAILABLE');
  const refused = kind === 'refused' && errorCode !== undefined ? { status: 400, errorCode } : unreachable;
  ctx.state.logFields.errorId = refused.errorCode.id;
  ctx.state.logFields.errorMsg = refused.errorCode.msg;
  return { status: refused.status, body: { ...body, errorCode: refused.errorCode } };
}

/** A round of the operator's player. @throws GAMEROUNDNOTFOUND, also for a round of another player or operator */
async function playersRound(
  { deps }: RouteContext,
  { ctx, operator, input }: OperatorCall<{ playerId: string; gameRound: string }>,
): Promise<RoundSnapshot> {
  noteRound(ctx, input.gameRound);
  const round = await deps.rounds.commands.describeRound(input.gameRound);
  const isTheirs =
    round?.identity.operatorId === operator.operatorId && round.identity.playerId === input.playerId;
  if (!isTheirs) throw refuse('GAMEROUNDNOTFOUND');
  return round;
}
