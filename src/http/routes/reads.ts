import type Router from '@koa/router';
import { refuse } from '../../domain/errors';
import { gameSettingsOf } from '../../domain/game-settings';
import { gameroundHash, roundName } from '../../domain/hashes';
import type { RoundSnapshot } from '../../domain/round/types';
import { mayFinish, reaches, type Session } from '../../domain/session';
import { goOnWith } from '../../logging';
import { gameEngineRoute, sessionRoute } from '../game-engine-call';
import { noteRound, ok, type CallState, type RouteContext } from '../route-context';
import { balanceReply, roundReply, tokenData } from '../replies';
import * as operations from '../operations/game-engine';
import { assertActivePlayerSession, readRound, roundsFor } from '../authorization';
import { DEFAULT_DEVICE, WALLET_MODE } from '../launch';
import { currentBalance } from '../wallet-balance';

/** Game-engine calls that only read (docs/interface#game-engine-api). */
export function readRoutes(http: RouteContext, router: Router<CallState>): void {
  sessionRoute(
    http,
    router,
    operations.getGameRoundInfo,
    { fresh: false },
    async ({ ctx, session, token, input }) => {
      const round = await roundAskedFor(http, session, input);
      noteRound(ctx, round.identity.gameround);
      return roundReply(session, token, round);
    },
  );

  sessionRoute(http, router, operations.getBalance, { fresh: false }, async ({ session }) => {
    assertActivePlayerSession(session);
    return ok(balanceReply(session, await currentBalance(http, session)));
  });

  sessionRoute(
    http,
    router,
    operations.getUncollectedAmount,
    { fresh: false },
    async ({ session, token, input }) => {
      if (session.mode === 'history') throw refuse('MODENOTALLOWED');
      const round = await readRound(roundsFor(http, session), session, input.gameRound);
      return ok({
        tokenData: tokenData(session, token, input.gameRound),
        amountToCollect: round.amountToCollect,
      });
    },
  );

  sessionRoute(http, router, operations.getTokenData, { fresh: false }, async ({ session, token }) => {
    if (session.mode === 'history') throw refuse('MODENOTALLOWED');
    return ok({ tokenData: tokenData(session, token, await openRoundHash(http, session)) });
  });

  gameEngineRoute(http, router, operations.getTokenForGameRound, async ({ provider, input }) => {
    const round = await http.deps.rounds.commands.describeRound(input.gameRound);
    if (round?.identity.providerId !== provider.providerId) throw refuse('GAMEROUNDNOTFOUND');
    const { token, session } = await http.deps.sessions.open(await seedFor(http, round));
    return ok({ tokenData: tokenData(session, token, input.gameRound) });
  });
}

/** The hash of the session's open round; '' if it has none or if that can't be read now. */
export async function openRoundHash(http: RouteContext, session: Session): Promise<string> {
  if (session.onlyGameround !== undefined) return session.onlyGameround;
  if (session.mode === 'demo' && http.deps.demoRounds === undefined) return '';
  const open = await roundsFor(http, session)
    .queries.findOpenRound(session)
    .catch(goOnWith(http.deps.logger, undefined, 'the open round could not be read'));
  // The guard may hold a round of another provider, if the game has moved, or a round in another currency.
  return open !== undefined && reaches(session, open.identity) ? open.identity.gameround : '';
}

/** Finds the round by its hash, by the provider's id, or as the token's open round (docs/interface#get-game-round-info). */
async function roundAskedFor(
  http: RouteContext,
  session: Session,
  asked: { gameRound?: string | undefined; externalGameProviderRoundId?: string | undefined },
): Promise<RoundSnapshot> {
  const rounds = roundsFor(http, session);
  if (asked.gameRound !== undefined) return readRound(rounds, session, asked.gameRound);
  if (asked.externalGameProviderRoundId === undefined && session.onlyGameround !== undefined) {
    return readRound(rounds, session, session.onlyGameround);
  }
  const found =
    asked.externalGameProviderRoundId === undefined
      ? await rounds.queries.findOpenRound(session)
      : await rounds.commands.describeRound(hashOf(session, asked.externalGameProviderRoundId), session);
  const isAllowed =
    session.onlyGameround === undefined || session.onlyGameround === found?.identity.gameround;
  if (found === undefined || !reaches(session, found.identity) || !isAllowed)
    throw refuse('GAMEROUNDNOTSTARTED');
  if (!mayFinish(session, found.identity)) throw refuse('TOKENEXPIRED');
  return found;
}

function hashOf(session: Session, externalGameProviderRoundId: string): string {
  const name = roundName({ externalGameProviderRoundId, requestId: '' });
  return gameroundHash(session.operatorId, session.playerId, session.gameCode, name);
}

/** Data for a session of this round only. It copies the session that opened the round, as far as that is known. */
async function seedFor({ deps }: RouteContext, { identity }: RoundSnapshot) {
  const { operatorId, playerId, gameCode, providerId, mode, currency, currencyMultiplier, language } =
    identity;
  const operator = deps.tenants.operator(operatorId);
  const opened = await deps.sessions
    .gameSettings(identity.sessionId)
    .catch(goOnWith(deps.logger, undefined, 'the settings of a launch could not be read'));
  return {
    ...{ operatorId, playerId, gameCode, providerId, mode, currency, currencyMultiplier, language },
    device: DEFAULT_DEVICE,
    walletMode: WALLET_MODE,
    onlyGameround: identity.gameround,
    gameSettings: opened ?? gameSettingsOf([operator?.gameSettings ?? {}], currencyMultiplier),
  };
}
