import type Router from '@koa/router';
import { refuse } from '../../domain/errors';
import { sessionRoute } from '../game-engine-call';
import { ok, type CallState, type RouteContext } from '../route-context';
import { tokenData } from '../replies';
import * as operations from '../operations/game-engine';
import { openRoundHash } from './reads';

/**
 * POST /getRandomResult (docs/interface#get-random-result), for games with `serviceRng`. Expired sessions and tokens for one
 * round may draw, too: they may need draws to finish a round.
 */
export function randomRoutes(http: RouteContext, router: Router<CallState>): void {
  sessionRoute(http, router, operations.getRandomResult, { fresh: false }, async (call) => {
    const { session, token, requestId, input } = call;
    const game = http.deps.tenants.game(session.gameCode);
    if (game?.serviceRng !== true || session.mode === 'history') throw refuse('MODENOTALLOWED');
    const { rngEndPoint, rngPayload } = input;
    const [drawn, open] = await Promise.all([
      http.deps.rng.getRandomResult({ session, requestId, rngEndPoint, rngPayload }),
      openRoundHash(http, session),
    ]);
    const { values, rngRequestId } = drawn;
    return ok({ tokenData: tokenData(session, token, open), values, rngRequestId });
  });
}
