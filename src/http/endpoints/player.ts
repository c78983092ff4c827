import type { Next } from 'koa';
import { z } from 'zod';
import { refuse, refuseBecause } from '../../domain/errors';
import { freePlaysAvailable } from '../../domain/free-plays';
import type { Session } from '../../domain/session';
import type { OpenSession } from '../../sessions';
import type { Described, Endpoint } from '../endpoint';
import { queryOf } from '../query';
import { balanceReply, tokenData } from '../replies';
import type { Context, RouteContext } from '../route-context';
import { token, validated } from '../schemas/fields';
import * as replies from '../schemas/operator-replies';
import { currentBalance } from '../wallet-balance';
import { openRoundHash } from './reads';

/*
 * Calls of the game's page in the player's browser (docs/interface#connect). They are not signed; the token authenticates
 * them.
 */

const byToken = z.object({
  token: token.meta({ description: 'A launch token (connect) or a session’s token.' }),
});

export const connect = playerEndpoint(
  {
    path: '/connect',
    summary: 'Starts a session and uses up the launch token',
    description:
      'A launch URL carries this address as `login`. Of several connects at the same time one succeeds. If the operator or ' +
      'the game does not respond, the same token can be used again. HEAD is refused.',
    replies: { 200: replies.connectReply },
    errors: ['LAUNCHURLSPENT', 'WALLETUNAVAILABLE', 'GAMEPROVIDERUNAVAILABLE'],
  },
  async (http, launchToken, ctx) => {
    const { sessions } = http.deps;
    const opened = await guessing(http, ctx, () => sessions.connect(launchToken));
    try {
      const { session } = opened;
      return await http.admission.within(JSON.stringify(['player', session.operatorId]), () =>
        connected(http, opened),
      );
    } catch (error) {
      // The connect failed (for example, the operator did not respond), so the player may use the same launch URL again.
      await sessions.undoConnect(launchToken, opened);
      throw error;
    }
  },
);

export const refresh = playerEndpoint(
  {
    path: '/refresh',
    summary: 'Extends a session by one hour; the token stays the same',
    replies: { 200: replies.refreshReply },
    errors: ['TOKENEXPIRED', 'LAUNCHURLSPENT'],
  },
  async (http, sent, ctx) => {
    const { token, session } = await guessing(http, ctx, () => http.deps.sessions.refresh(sent));
    return { token, tokenData: tokenData(session, token, await openRoundHash(http, session)) };
  },
);

export const logout = playerEndpoint(
  {
    path: '/logout',
    summary: 'Logs out; open rounds can still be finished',
    replies: { 200: replies.emptyReply },
    errors: ['LAUNCHURLSPENT'],
  },
  async (http, sent, ctx) => {
    await guessing(http, ctx, () => http.deps.sessions.logout(sent));
    return {};
  },
);

function playerEndpoint(
  described: Omit<Described<typeof byToken>, 'request'>,
  handle: (http: RouteContext, token: string, ctx: Context) => Promise<object>,
): Endpoint<typeof byToken> {
  return {
    ...{ ...described, method: 'get', caller: 'player', request: byToken },
    register: (http, router) =>
      router.get(described.path, fromAnyPage, async (ctx) => {
        ctx.body = await handle(http, validated(byToken, queryOf(ctx)).token, ctx);
      }),
  };
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

function guessing<T>(http: RouteContext, ctx: Context, lookUp: () => Promise<T>): Promise<T> {
  return http.limits.throttleUnknownTokens({ address: ctx.ip }, lookUp);
}
