import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { PlayerDetails, RegisteredPlayer } from './types';
import { needingMongo } from './unavailable';

interface PlayerDocument {
  /** Operator and player, since two operators may use the same player id. */
  _id: string;
  operatorId: string;
  playerId: string;
  internalPlayerId: string;
  details: PlayerDetails;
  createdAt: Date;
  updatedAt: Date;
}

/** If the merged details would be larger than this, the new details replace the old ones. */
const MAX_DETAILS_BYTES = 65_536;

export function createPlayers(db: Db, clock: () => number) {
  const players: Collection<PlayerDocument> = db.collection('players');

  async function upsert(
    operatorId: string,
    playerId: string,
    details: PlayerDetails | undefined,
  ): Promise<RegisteredPlayer> {
    const fresh = randomUUID();
    const now = new Date(clock());
    const given = { $literal: details ?? {} };
    const merged = { $mergeObjects: [{ $ifNull: ['$details', {}] }, given] };
    const fits = { $lte: [{ $bsonSize: merged }, MAX_DETAILS_BYTES] };
    const set = {
      // $literal, since an id that begins with a dollar sign would be an expression.
      operatorId: { $literal: operatorId },
      playerId: { $literal: playerId },
      internalPlayerId: { $ifNull: ['$internalPlayerId', fresh] },
      details: { $cond: [fits, merged, given] },
      createdAt: { $ifNull: ['$createdAt', now] },
      updatedAt: now,
    };
    const player = await players.findOneAndUpdate({ _id: keyOf(operatorId, playerId) }, [{ $set: set }], {
      upsert: true,
      returnDocument: 'after',
    });
    const internalPlayerId = player?.internalPlayerId ?? fresh;
    return { internalPlayerId, isNew: internalPlayerId === fresh };
  }

  return {
    register(operatorId: string, playerId: string, details?: PlayerDetails): Promise<RegisteredPlayer> {
      return needingMongo(async () => {
        if (details === undefined) {
          const known = await players.findOne({ _id: keyOf(operatorId, playerId) });
          if (known !== null) return { internalPlayerId: known.internalPlayerId, isNew: false };
        }
        return upsert(operatorId, playerId, details);
      });
    },
  };
}

function keyOf(operatorId: string, playerId: string): string {
  return JSON.stringify([operatorId, playerId]);
}
