import type Router from '@koa/router';
import { refuse, refuseBecause } from '../../domain/errors';
import { listedRound, type ListedRound } from '../../domain/round/record';
import type { Session } from '../../domain/session';
import { gameEngineRoute, sessionRoute } from '../game-engine-call';
import { ok, type CallState, type RouteContext } from '../route-context';
import { historyReply, lastRoundItem, openRoundItem } from '../replies';
import * as operations from '../operations/game-engine';
import { assertActivePlayerSession, readRound, roundsFor } from '../authorization';

const DAY_MS = 86_400_000;
/** A player has at most one open round per game, and any number of crashed ones. */
const MAX_OPEN_ROUNDS = 50;
const ASKED_AT_ONCE = 5;

/** Lists of rounds, and rounds that are over (docs/interface#get-game-round-history-info, #get-last-game-rounds). */
export function historyRoutes(http: RouteContext, router: Router<CallState>): void {
  sessionRoute(
    http,
    router,
    operations.getGameRoundHistoryInfo,
    { fresh: false },
    async ({ session, token, input }) => {
      const round = await readRound(roundsFor(http, session), session, input.gameRound);
      if (round.status === 'open') throw refuse('GAMEROUNDOPEN');
      return historyReply(session, token, round);
    },
  );

  sessionRoute(http, router, operations.getLastGameRounds, { fresh: false }, async ({ session, input }) => {
    assertActivePlayerSession(session);
    const since = new Date(http.deps.clock() - input.maxDays * DAY_MS);
    const rounds = await closedRounds(http, session, since, input.maxRecords);
    return ok({ gameRoundList: rounds.map(lastRoundItem) });
  });

  sessionRoute(http, router, operations.getOpenGameRounds, { fresh: false }, async ({ session }) => {
    assertActivePlayerSession(session);
    return ok({ gameRoundList: (await openRounds(http, session)).map(openRoundItem) });
  });

  gameEngineRoute(http, router, operations.getOpenGameRoundsByGame, async ({ provider, input }) => {
    const { providerId } = provider;
    const { gameCode, maxRecords } = input;
    const rounds = await asked(http.deps.roundLists.openRoundsByGame(providerId, gameCode, maxRecords));
    // A game that has moved to another provider still belongs to this one if rounds from before the move are open.
    const isOwn = rounds.length > 0 || http.deps.tenants.game(gameCode)?.providerId === providerId;
    if (!isOwn) throw refuse('GAMENOTFOUND');
    return ok({ gameRoundList: rounds.map(openRoundItem) });
  });
}

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
