import { refuse, refuseBecause } from '../../domain/errors';
import { listedRound, type ListedRound } from '../../domain/round/record';
import type { Session } from '../../domain/session';
import { assertActivePlayerSession, readRound, roundsFor } from '../authorization';
import { ROUND_ERRORS, TOKEN_ERRORS } from '../endpoint';
import { gameEngineEndpoint, sessionEndpoint } from '../game-engine-call';
import { historyReply, lastRoundItem, openRoundItem } from '../replies';
import { ok, type RouteContext } from '../route-context';
import { count, identifier, object, token } from '../schemas/fields';
import * as replies from '../schemas/replies';
import * as requests from '../schemas/shared-requests';

/* Lists of rounds, and rounds that are over (docs/interface#get-game-round-history-info, #get-last-game-rounds). */

const DAY_MS = 86_400_000;
/** A player has at most one open round per game, and any number of crashed ones. */
const MAX_OPEN_ROUNDS = 50;
const ASKED_AT_ONCE = 5;
/** A round can have hundreds of kilobytes, so lists are short. */
const MAX_RECORDS = 200;
const MAX_DAYS = 366;
const maxRecords = count(MAX_RECORDS).default(50);

export const getGameRoundHistoryInfo = sessionEndpoint(
  {
    path: '/getGameRoundHistoryInfo',
    summary: 'Returns a closed or cancelled gameround, with the data that the provider stored',
    description: 'An open round gets GAMEROUNDOPEN: use getGameRoundInfo.',
    request: requests.tokenAndRound,
    replies: { 200: replies.historyReply },
    errors: [...ROUND_ERRORS, 'GAMEROUNDOPEN'],
  },
  async (http, { session, token, input }) => {
    const round = await readRound(roundsFor(http, session), session, input.gameRound);
    if (round.status === 'open') throw refuse('GAMEROUNDOPEN');
    return historyReply(session, token, round);
  },
);

export const getLastGameRounds = sessionEndpoint(
  {
    path: '/getLastGameRounds',
    summary: 'Returns the player’s recently closed rounds, newest first',
    description:
      'The `gameSpecificDetails` of all returned rounds together have at most 4 MiB. Older rounds beyond that are left out.',
    request: object({ token, maxRecords, maxDays: count(MAX_DAYS).default(30) }),
    replies: { 200: replies.lastRoundsReply },
    errors: TOKEN_ERRORS,
  },
  async (http, { session, input }) => {
    assertActivePlayerSession(session);
    const since = new Date(http.deps.clock() - input.maxDays * DAY_MS);
    const rounds = await closedRounds(http, session, since, input.maxRecords);
    return ok({ gameRoundList: rounds.map(lastRoundItem) });
  },
);

export const getOpenGameRounds = sessionEndpoint(
  {
    path: '/getOpenGameRounds',
    summary: 'Returns the player’s open rounds in the provider’s games, newest first',
    request: requests.tokenOnly,
    replies: { 200: replies.openRoundsReply },
    errors: TOKEN_ERRORS,
  },
  async (http, { session }) => {
    assertActivePlayerSession(session);
    return ok({ gameRoundList: (await openRounds(http, session)).map(openRoundItem) });
  },
);

export const getOpenGameRoundsByGame = gameEngineEndpoint(
  {
    path: '/getOpenGameRoundsByGame',
    summary: 'Returns the open rounds of all players in one of the provider’s games, newest first',
    request: object({ gameCode: identifier(), maxRecords }),
    replies: { 200: replies.openRoundsReply },
    errors: ['GAMENOTFOUND'],
  },
  async (http, { provider, input }) => {
    const { providerId } = provider;
    const { gameCode, maxRecords } = input;
    const rounds = await asked(http.deps.roundLists.openRoundsByGame(providerId, gameCode, maxRecords));
    // A game that has moved to another provider still belongs to this one if rounds from before the move are open.
    const isOwn = rounds.length > 0 || http.deps.tenants.game(gameCode)?.providerId === providerId;
    if (!isOwn) throw refuse('GAMENOTFOUND');
    return ok({ gameRoundList: rounds.map(openRoundItem) });
  },
);

/** Demo rounds have no records (docs/interface#demo), so their list is empty. */
async function closedRounds(
  { deps }: RouteContext,
  session: Session,
  since: Date,
  maxRecords: number,
): Promise<ListedRound[]> {
  return session.mode === 'demo' ? [] : asked(deps.roundLists.closedRounds(session, since, maxRecords));
}

/** The records say which rounds are open. Their workflows give the current state, since a record may be outdated. */
async function openRounds(http: RouteContext, session: Session): Promise<ListedRound[]> {
  const { commands, queries } = roundsFor(http, session);
  if (session.mode === 'demo') {
    const open = await queries.findOpenRound(session);
    return open === undefined ? [] : [listedRound(open)];
  }
  const records = await asked(http.deps.roundLists.openRoundsOfPlayer(session, MAX_OPEN_ROUNDS));
  const rounds: ListedRound[] = [];
  // A workflow returns the whole round, so ask only a few at the same time.
  for (let next = 0; next < records.length; next += ASKED_AT_ONCE) {
    const some = records.slice(next, next + ASKED_AT_ONCE).map(async (record) => {
      const round = await commands.describeRound(record.hash);
      return round === undefined ? record : listedRound(round);
    });
    rounds.push(...(await Promise.all(some)));
  }
  return rounds.filter(({ status }) => status === 'open');
}

/** Waits for the read model. @throws SERVICEUNAVAILABLE */
async function asked<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw refuseBecause(error, 'SERVICEUNAVAILABLE');
  });
}
