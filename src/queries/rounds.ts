import type { ListedRound, Standing } from '../domain/round/record';
import type { Session } from '../domain/session';
import type { Guards } from '../contracts/guards';
import type { RoundDocument, Rounds } from '../read-model/rounds';

/** Queries of the read model. Each rejects if MongoDB can't be read. */
export interface RoundQueries {
  /**
   * The hash of the round that holds the player's open-round guard in this game. The round may already be over, but no other
   * round is open.
   */
  holderOfGuard(session: Session): Promise<string | undefined>;
  /** All open rounds of the session's player at the session's provider, newest first. */
  openRoundsOfPlayer(session: Session, maxRecords: number): Promise<ListedRound[]>;
  /** Open rounds of all players of a provider's game, newest first. */
  openRoundsByGame(providerId: string, gameCode: string, maxRecords: number): Promise<ListedRound[]>;
  /** The player's rounds at the session's provider that closed after `since`, newest first. */
  closedRounds(session: Session, since: Date, maxRecords: number): Promise<ListedRound[]>;
  /** How many rounds a ticket has paid for, and the sum of their wins in minor units. */
  ticketUse(operatorId: string, playerId: string, serial: string): Promise<{ used: number; won: number }>;
  standing(gameround: string): Promise<Standing | undefined>;
}

/** A list reads only the fields that it shows, since a round can have hundreds of kilobytes. */
const SHOWN = {
  ...{ hash: 1, status: 1, stake: 1, baseStake: 1, mode: 1, currency: 1, game: 1, currencyMultiplier: 1 },
  ...{ commonRoundHash: 1, timestamp: 1, amountToCollect: 1, totalBetAmount: 1, totalWinAmount: 1 },
  ...{ crashed: 1, dataStored: 1 },
} satisfies Record<keyof ListedRound, 1>;
/** The most `dataStored` in a list: 64 rounds of 64 KiB each. Older rounds beyond that are left out. */
const MAX_DATA_CHARS = 4 * 1024 * 1024;
const BATCH = 25;
const MAX_TIME = { maxTimeMS: 5_000 };

export function createRoundQueries(rounds: Rounds, guards: Pick<Guards, 'holder'>): RoundQueries {
  const { collection } = rounds;

  async function list(
    filter: Parameters<typeof collection.find>[0],
    sort: Record<string, 1 | -1>,
    limit: number,
  ): Promise<ListedRound[]> {
    const options = { projection: { ...SHOWN, _id: 0 }, batchSize: BATCH, ...MAX_TIME };
    const rounds: ListedRound[] = [];
    let size = 0;
    for await (const found of collection.find(filter, options).sort(sort).limit(limit)) {
      size += found.dataStored?.length ?? 0;
      if (size > MAX_DATA_CHARS) break;
      rounds.push(listed(found));
    }
    return rounds;
  }

  return {
    standing: (gameround) => rounds.standing(gameround),
    holderOfGuard: async (session) => (await guards.holder(session))?.gameround,
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
      const paid = {
        operator: operatorId,
        player: playerId,
        ticket: serial,
        status: { $in: ['open', 'closed'] },
      };
      const total = { _id: null, used: { $sum: 1 }, won: { $sum: '$won' } };
      const [use] = await collection
        .aggregate<{ used: number; won: number }>([{ $match: paid }, { $group: total }], MAX_TIME)
        .toArray();
      return { used: use?.used ?? 0, won: use?.won ?? 0 };
    },
  };
}

function listed({ dataStored, ...shown }: RoundDocument): ListedRound {
  return dataStored === undefined
    ? shown
    : { ...shown, dataStored: JSON.parse(dataStored) as Record<string, string> };
}
