import type { Db } from 'mongodb';
import type { Draw } from './index';

/** `_id` is the rngRequestId. A draw has at most 10,000 values, so a document is below 200 kB. */
interface DrawDocument extends Omit<Draw, 'rngRequestId' | 'at'> {
  _id: string;
  at: Date;
}

const TIMEOUT_MS = 5_000;
/** The most draws in one list. */
const MAX_FOUND = 100;

/** The audit log of random numbers, collection `rngdraws`. Nothing is deleted: the retention depends on the jurisdiction. */
export interface DrawLog {
  /** Resolves when the draw is written. Rejects if that is not certain. */
  write(draw: Draw): Promise<void>;
  find(rngRequestId: string): Promise<Draw | undefined>;
  /** Draws of a game or a player within a time span, newest first. `max` is at most 100. */
  list(
    of: { gameCode: string } | { operatorId: string; playerId: string },
    span: { from: Date; to: Date },
    max?: number,
  ): Promise<Draw[]>;
  /** Creates the indexes. Call it until it succeeds once. */
  prepare(): Promise<void>;
}

export function createDrawLog(db: Db): DrawLog {
  const draws = db.collection<DrawDocument>('rngdraws');
  return {
    async write({ rngRequestId, at, ...draw }) {
      await draws.insertOne({ _id: rngRequestId, at: new Date(at), ...draw }, { timeoutMS: TIMEOUT_MS });
    },
    async find(rngRequestId) {
      const found = await draws.findOne({ _id: rngRequestId }, { timeoutMS: TIMEOUT_MS });
      return found === null ? undefined : drawOf(found);
    },
    async list(of, { from, to }, max = MAX_FOUND) {
      const found = await draws
        .find({ ...of, at: { $gte: from, $lt: to } }, { timeoutMS: TIMEOUT_MS })
        .sort({ at: -1 })
        .limit(Math.min(Math.max(max, 1), MAX_FOUND))
        .toArray();
      return found.map(drawOf);
    },
    async prepare() {
      await draws.createIndexes([
        { key: { gameCode: 1, at: -1 }, name: 'game' },
        { key: { operatorId: 1, playerId: 1, at: -1 }, name: 'player' },
      ]);
    },
  };
}

function drawOf({ _id, at, ...draw }: DrawDocument): Draw {
  return { rngRequestId: _id, at: at.getTime(), ...draw };
}
