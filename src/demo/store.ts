import { MongoServerError, type Db } from 'mongodb';
import type { DemoGame, DemoStore } from './types';

/** A demo game is deleted with its session, an hour after its last use (docs/interface#demo). */
export const IDLE_MS = 60 * 60_000;
/** `lastUsed` is written at most once a minute. */
const USE_EVERY_MS = 60_000;
const TIMEOUT_MS = 5_000;
const DUPLICATE_KEY = 11_000;

/** `_id` is the session's id. */
interface DemoDocument {
  _id: string;
  version: number;
  /** The game as a JSON text: it contains free-form names, and no query looks into it. */
  game: string;
  /** The hashes and aliases of its rounds. */
  names: string[];
  /** TTL index. */
  lastUsed: Date;
}

/**
 * Demo games in the MongoDB collection `demosessions`: pretend money only, no round records.
 * @param options.clock milliseconds since the epoch
 */
export function createDemoStore(db: Db, options: { clock?: () => number } = {}): DemoStore {
  const { clock = Date.now } = options;
  const sessions = db.collection<DemoDocument>('demosessions');
  const limits = { timeoutMS: TIMEOUT_MS };

  async function used({ _id, lastUsed }: DemoDocument): Promise<void> {
    if (clock() - lastUsed.getTime() < USE_EVERY_MS) return;
    await sessions.updateOne({ _id }, { $max: { lastUsed: new Date(clock()) } }, limits);
  }

  /** MongoDB's TTL index deletes only once a minute, so expired games are also filtered here. */
  const idleSince = () => new Date(clock() - IDLE_MS);

  return {
    async load(sessionId) {
      const found = await sessions.findOne({ _id: sessionId, lastUsed: { $gt: idleSince() } }, limits);
      if (found === null) return undefined;
      await used(found);
      return { version: found.version, game: JSON.parse(found.game) as DemoGame };
    },

    async save(sessionId, game, version) {
      const document = {
        version: version + 1,
        game: JSON.stringify(game),
        names: game.rounds.flatMap(({ alias, state }) => [state.identity.gameround, alias]),
        lastUsed: new Date(clock()),
      };
      if (version > 0) {
        const replaced = await sessions.replaceOne({ _id: sessionId, version }, document, limits);
        return replaced.matchedCount === 1;
      }
      try {
        const over = { _id: sessionId, lastUsed: { $lte: idleSince() } };
        await sessions.replaceOne(over, document, { upsert: true, ...limits });
        return true;
      } catch (error) {
        // The upsert tried to insert, but a game in use exists.
        if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
        throw error;
      }
    },

    async findByRound(name) {
      const inUse = { names: name, lastUsed: { $gt: idleSince() } };
      const found = await sessions.findOne(inUse, { sort: { lastUsed: -1 }, ...limits });
      if (found === null) return undefined;
      await used(found);
      return JSON.parse(found.game) as DemoGame;
    },

    async prepare() {
      await sessions.createIndexes([
        { key: { lastUsed: 1 }, name: 'idle', expireAfterSeconds: IDLE_MS / 1_000 },
        { key: { names: 1, lastUsed: -1 }, name: 'names' },
      ]);
    },
  };
}
