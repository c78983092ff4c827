import { refuse } from '../../domain/errors';
import { gameSettingsOf } from '../../domain/game-settings';
import { gameroundHash, roundName } from '../../domain/hashes';
import type { RoundSnapshot } from '../../domain/round/types';
import { mayFinish, reaches, type Session } from '../../domain/session';
import { goOnWith } from '../../logging';
import { assertActivePlayerSession, readRound, roundsFor } from '../authorization';
import { ROUND_ERRORS, TOKEN_ERRORS } from '../endpoint';
import { gameEngineEndpoint, sessionEndpoint } from '../game-engine-call';
import { balanceReply, roundReply, tokenData } from '../replies';
import { noteRound, ok, type RouteContext } from '../route-context';
import { identifier, object, roundHash, token } from '../schemas/fields';
import * as replies from '../schemas/replies';
import * as requests from '../schemas/shared-requests';
import { currentBalance } from '../wallet-balance';
import { DEFAULT_DEVICE, WALLET_MODE } from './get-game-url';

/* Game-engine calls that only read (docs/interface#game-engine-api). */

export const getGameRoundInfo = sessionEndpoint(
  {
    path: '/getGameRoundInfo',
    summary: 'Returns the state of a gameround, open or closed',
    description:
      'Name the round by `gameRound` or `externalGameProviderRoundId`. Without both, the call returns the token’s open ' +
      'round. Use this call after a lost reply.',
    request: object({
      token,
      gameRound: roundHash.optional(),
      externalGameProviderRoundId: identifier(32).optional(),
    }),
    replies: { 200: replies.roundInfoReply },
    errors: [...ROUND_ERRORS, 'GAMEROUNDNOTSTARTED'],
  },
  async (http, { ctx, session, token, input }) => {
    const round = await roundAskedFor(http, session, input);
    noteRound(ctx, round.identity.gameround);
    return roundReply(session, token, round);
  },
);

export const getBalance = sessionEndpoint(
  {
    path: '/getBalance',
    summary: 'Asks the operator for the player’s balance and returns it',
    request: requests.tokenOnly,
    replies: { 200: replies.balance },
    errors: [...TOKEN_ERRORS, 'WALLETUNAVAILABLE'],
  },
  async (http, { session }) => {
    assertActivePlayerSession(session);
    return ok(balanceReply(session, await currentBalance(http, session)));
  },
);

export const getUncollectedAmount = sessionEndpoint(
  {
    path: '/getUncollectedAmount',
    summary: 'Returns the open winnings of a gameround',
    request: requests.tokenAndRound,
    replies: { 200: replies.uncollectedReply },
    errors: ROUND_ERRORS,
  },
  async (http, { session, token, input }) => {
    if (session.mode === 'history') throw refuse('MODENOTALLOWED');
    const round = await readRound(roundsFor(http, session), session, input.gameRound);
    return ok({
      tokenData: tokenData(session, token, input.gameRound),
      amountToCollect: round.amountToCollect,
    });
  },
);

export const getTokenData = sessionEndpoint(
  {
    path: '/getTokenData',
    summary: 'Returns the session data of a token',
    request: requests.tokenOnly,
    replies: { 200: replies.tokenDataReply },
    errors: TOKEN_ERRORS,
  },
  async (http, { session, token }) => {
    if (session.mode === 'history') throw refuse('MODENOTALLOWED');
    return ok({ tokenData: tokenData(session, token, await openRoundHash(http, session)) });
  },
);

export const getTokenForGameRound = gameEngineEndpoint(
  {
    path: '/getTokenForGameRound',
    summary: 'Returns a token with which a game can finish one gameround',
    description:
      'A game calls this after the service sent it doAutoClose. The token works only for this round and cannot start a round.',
    request: requests.roundOnly,
    replies: { 200: replies.tokenDataReply },
    errors: ['GAMEROUNDNOTFOUND'],
  },
  async (http, { provider, input }) => {
    const round = await http.deps.rounds.commands.describeRound(input.gameRound);
    if (round?.identity.providerId !== provider.providerId) throw refuse('GAMEROUNDNOTFOUND');
    const { token, session } = await http.deps.sessions.open(await seedFor(http, round));
    return ok({ tokenData: tokenData(session, token, input.gameRound) });
  },
);

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
