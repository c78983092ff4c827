import type Router from '@koa/router';
import type { Next } from 'koa';
import { refuse, refuseBecause } from '../../domain/errors';
import { freePlaysAvailable } from '../../domain/free-plays';
import type { Session } from '../../domain/session';
import type { OpenSession } from '../../sessions';
import type { CallState, Context, RouteContext } from '../route-context';
import * as operations from '../operations/player-and-service';
import { balanceReply, tokenData } from '../replies';
import { queryOf } from '../query';
import { validated } from '../schemas/fields';
import { currentBalance } from '../wallet-balance';
import { openRoundHash } from './reads';

/** Calls of the game's page in the player's browser (docs/interface#connect). They are not signed; the token authenticates them. */
export function playerRoutes(http: RouteContext, router: Router<CallState>): void {
  const { sessions } = http.deps;

  router.get(operations.connect.path, fromAnyPage, async (ctx) => {
    const launchToken = tokenOf(ctx);
    const opened = await guessing(http, ctx, () => sessions.connect(launchToken));
    try {
      const { session } = opened;
      ctx.body = await http.admission.within(JSON.stringify(['player', session.operatorId]), () =>
        connected(http, opened),
      );
    } catch (error) {
      // The connect failed (for example, the operator did not respond), so the player may use the same launch URL again.
      await sessions.undoConnect(launchToken, opened);
      throw error;
    }
  });

  router.get(operations.refresh.path, fromAnyPage, async (ctx) => {
    const { token, session } = await guessing(http, ctx, () => sessions.refresh(tokenOf(ctx)));
    ctx.body = { token, tokenData: tokenData(session, token, await openRoundHash(http, session)) };
  });

  router.get(operations.logout.path, fromAnyPage, async (ctx) => {
    await guessing(http, ctx, () => sessions.logout(tokenOf(ctx)));
    ctx.body = {};
  });
}

async function connected(http: RouteContext, { token, session, gameSettings }: OpenSession): Promise<object> {
  const { baseUrl } = http.deps;
  const [balance, gameHistory] = await Promise.all([
    currentBalance(http, session),
    historyToldByGame(http, session),
  ]);
  return {
    token,
    backendUrl: baseUrl,
    refreshUrl: `${baseUrl}/refresh`,
    logoutUrl: `${baseUrl}/logout`,
    balance: balanceReply(session, balance),
    gameSettings,
    tokenData: tokenData(session, token, await openRoundHash(http, session)),
    freePlaysAvailable: freePlaysAvailable(balance, session.currency),
    gameHistory,
  };
}

/** For a history launch of a game with `historyCallback` (docs/interface#do-get-game-history). @throws GAMEPROVIDERUNAVAILABLE */
async function historyToldByGame(
  { deps }: RouteContext,
  session: Session,
): Promise<Record<string, string> | undefined> {
  const { mode, onlyGameround, gameCode, playerId, language } = session;
  if (mode !== 'history' || onlyGameround === undefined) return undefined;
  if (deps.tenants.game(gameCode)?.historyCallback !== true) return undefined;
  const provider = deps.tenants.provider(session.providerId);
  if (provider === undefined) throw refuse('GAMEPROVIDERUNAVAILABLE');
  const request = { gameRound: onlyGameround, playerId, language };
  return deps.provider.doGetGameHistory(provider, request).catch((error: unknown) => {
    throw refuseBecause(error, 'GAMEPROVIDERUNAVAILABLE');
  });
}

/** Allows all origins: the provider serves the game's page from its own origin. No cookie is read here. */
async function fromAnyPage(ctx: Context, next: Next): Promise<void> {
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set('Access-Control-Expose-Headers', 'X-Request-Id, X-Response-Id, Retry-After');
  // The router handles HEAD like GET, so a link preview would use up the player's token.
  if (ctx.method === 'HEAD') {
    ctx.status = 405;
    return;
  }
  await next();
}

function tokenOf(ctx: Context): string {
  return validated(operations.connect.request, queryOf(ctx)).token;
}

function guessing<T>(http: RouteContext, ctx: Context, lookUp: () => Promise<T>): Promise<T> {
  return http.limits.throttleUnknownTokens({ address: ctx.ip }, lookUp);
}
