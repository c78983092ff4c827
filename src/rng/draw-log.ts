import type { Db } from 'mongodb';
import type { Draw } from './index';

/** `_id` is the rngRequestId. At most 10,000 values: below 200 kB. */
interface DrawDocument extends Omit<Draw, 'rngRequestId' | 'at'> {
  _id: string;
  at: Date;
}

const TIMEOUT_MS = 5_000;
/** An audit asks for a game's draws or a player's in some span of time. */
const MAX_FOUND = 100;

/** The audit log of the random numbers, collection `rngdraws`. It only grows: how long it is kept is the operator's law. */
export interface DrawLog {
  /** Resolves when the draw is written; rejects when that is not sure. */
  write(draw: Draw): Promise<void>;
  find(rngRequestId: string): Promise<Draw | undefined>;
  /** Newest first, at most `max`, which is at most 100. */
  list(
    of: { gameCode: string } | { operatorId: string; playerId: string },
    span: { from: Date; to: Date },
    max?: number,
  ): Promise<Draw[]>;
  /** Creates the indexes; to be called until it succeeds once. */
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
