import type { ReconcileResult } from '../../contracts/reconcile';
import { totalBalance } from '../../domain/classify-wallet-reply';
import { refusal, refuse, RefusedError } from '../../domain/errors';
import { gameRoundDetail } from '../../domain/round/record';
import type { RoundSnapshot } from '../../domain/round/types';
import { operatorEndpoint, type OperatorCall } from '../operator-call';
import { operatorRecord } from '../replies';
import { noteRound, ok, type Answer, type Context, type RouteContext } from '../route-context';
import { object, roundHash } from '../schemas/fields';
import * as replies from '../schemas/operator-replies';
import * as requests from '../schemas/shared-requests';

/* An operator's calls about one of its rounds (docs/interface#operator-calls, #reconcile-transactions). */

export const reconcileTransactions = operatorEndpoint(
  {
    method: 'post',
    path: '/reconcileTransactions',
    summary: 'Sends all transactions of a gameround to the wallet again',
    description:
      'One doTransactions call carries all transactions with their original hashes. An open round is closed first. If the ' +
      'operator refuses the call, the reply is 400 with the operator’s own errorCode. If the operator does not respond, it is ' +
      '502. If no transaction was ever accepted, there is no call and `hashesProcessed` is empty. The call can be repeated ' +
      'safely.',
    request: object({ gameRound: roundHash }),
    signed: ['gameRound'],
    replies: { 200: replies.reconcileReply },
    refused: replies.refusedReconcileReply,
    errors: ['GAMEROUNDNOTFOUND', 'MODENOTALLOWED', 'WALLETUNAVAILABLE', 'OPERATIONBEINGPROCESSED'],
  },
  async (http, { ctx, operator, input }) => {
    noteRound(ctx, input.gameRound);
    return reconciled(http, ctx, await reconcile(http, operator.operatorId, input.gameRound));
  },
);

export const getGameRoundDetails = operatorEndpoint(
  {
    method: 'get',
    path: '/getGameRoundDetails',
    summary: 'Returns the record of a player’s gameround',
    request: requests.playerAndRound,
    signed: ['playerId', 'gameRound'],
    replies: { 200: replies.detailsReply },
    errors: ['GAMEROUNDNOTFOUND'],
  },
  async (http, call) =>
    ok({ gameRound: operatorRecord(await playersRound(http, call), http.deps.environment) }),
);

export const getGameRoundReport = operatorEndpoint(
  {
    method: 'post',
    path: '/getGameRoundReport',
    summary: 'Returns the report of a gameround, as doGameRoundReport sends it',
    request: requests.playerAndRound,
    signed: ['playerId', 'gameRound'],
    replies: { 200: replies.reportReply },
    errors: ['GAMEROUNDNOTFOUND'],
  },
  async (http, call) =>
    ok({ gameRoundDetail: gameRoundDetail(await playersRound(http, call), http.deps.environment) }),
);

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

/** The operator's reply: 400 with its errorCode if it rejected the call, 502 if it did not respond (docs/interface#reconcile-reply). */
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
  const refused = kind === 'rejected' && errorCode !== undefined ? { status: 400, errorCode } : unreachable;
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
