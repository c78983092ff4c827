import type { RoundSnapshot } from '../domain/round/types';
import type { Session } from '../domain/session';
import type { Guards } from '../read-model/guards';
import type { Rounds } from '../read-model/rounds';

/** Questions to the read model. Each rejects when MongoDB can't be asked. */
export interface RoundQueries {
  /**
   * The hash of the round that holds the player's open-round guard in that game: it may be open, or over by now, but
   * no other one is open.
   */
  holderOfGuard(session: Session): Promise<string | undefined>;
  /** All open rounds of the session's player at the session's provider, newest first. */
  openRoundsOfPlayer(session: Session, maxRecords: number): Promise<RoundSnapshot[]>;
  /** Open rounds of all players of a provider's game, newest first. */
  openRoundsByGame(providerId: string, gameCode: string, maxRecords: number): Promise<RoundSnapshot[]>;
  /** The player's rounds at the session's provider that closed since then, newest first. */
  closedRounds(session: Session, since: Date, maxRecords: number): Promise<RoundSnapshot[]>;
  /** How many rounds a ticket has paid for, and what they won; minor units. */
  ticketUse(operatorId: string, playerId: string, serial: string): Promise<{ used: number; won: number }>;
  find(gameround: string): Promise<RoundSnapshot | undefined>;
}

export function createRoundQueries(rounds: Rounds, guards: Pick<Guards, 'holder'>): RoundQueries {
  const { collection } = rounds;

  async function list(
    filter: Parameters<typeof collection.find>[0],
    sort: Record<string, 1 | -1>,
    limit: number,
  ): Promise<RoundSnapshot[]> {
    const found = await collection
      .find(filter, { projection: { snapshot: 1 }, maxTimeMS: 5_000 })
      .sort(sort)
      .limit(limit)
      .toArray();
    return found.map(({ snapshot }) => snapshot);
  }

  return {
    find: (gameround) => rounds.find(gameround),
    holderOfGuard: (session) => guards.holder(session),
    openRoundsOfPlayer: ({ operatorId, playerId, providerId }, maxRecords) =>
      list(
        { operator: operatorId, player: playerId, providerId, status: 'open' },
        { openedAt: -1 },
        maxRecords,
      ),
    openRoundsByGame: (providerId, gameCode, maxRecords) =>
      list({ providerId, game: gameCode, status: 'open' }, { openedAt: -1 }, maxRecords),
    closedRounds: ({ operatorId, playerId, providerId }, since, maxRecords) =>
      list(
        { operator: operatorId, player: playerId, providerId, status: 'closed', closedAt: { $gte: since } },
        { closedAt: -1 },
        maxRecords,
      ),
    async ticketUse(operatorId, playerId, serial) {
      const filter = { operator: operatorId, player: playerId, 'snapshot.ticket.serial': serial };
      const used = await list({ ...filter, status: { $in: ['open', 'closed'] } }, { openedAt: -1 }, 1_000);
      const wins = used.flatMap(({ gameState }) => gameState.map(({ result }) => result.winAmount));
      return { used: used.length, won: wins.reduce((sum, win) => sum + win, 0) };
    },
  };
}
