import { MongoServerError, type Collection, type Db, type Filter } from 'mongodb';
import { BEFORE_ANY_ATTEMPT, type GuardHolder, type GuardKey, type Guards } from '../contracts/guards';
import { isDuplicateKey } from './connect';

/**
 * The guard is a part of the round's document. A new round writes a document with version 0, which is no record yet
 * (src/read-model/rounds.ts). Only one document of an operator, player, game and mode has `holds`: a unique index forbids a
 * second one. Only a round that holds may send its initial debit. The record of a round that is over has no `holds`.
 */
interface GuardDocument {
  /** The gameround hash. */
  _id: string;
  version: number;
  operator: string;
  player: string;
  game: string;
  mode: string;
  holds?: true;
  /** The round's workflow has confirmed the guard, so its initial debit may have been sent. */
  confirmed?: true;
  /** The confirmation is that of the start, and no attempt has made its own. */
  early?: boolean;
  /** Schedule time of the newest attempt that confirmed it or looked at the round, by the Temporal server's clock; ms since the epoch. */
  attemptAt?: number;
  since?: Date;
  /** What the round was started with, as JSON; until it has a record. */
  start?: string | undefined;
}

/** Attempts to take a guard that its holders release at the same moment. */
const MAX_ATTEMPTS = 5;
const READ_TIMEOUT_MS = 1_000;
/** A database that hangs causes an error well before the time of a caller or an activity is over. */
const LIMITS = { timeoutMS: 2_000 };

export function createGuards(db: Db): Guards {
  const rounds: Collection<GuardDocument> = db.collection('gamerounds');

  /** False if another round has the guard, or there is no such document. */
  async function hold(document: Filter<GuardDocument>): Promise<boolean> {
    try {
      return (await rounds.updateOne(document, { $set: { holds: true } }, LIMITS)).modifiedCount === 1;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    async take(key, gameround, start) {
      const own = { _id: gameround, ...fieldsOf(key) };
      const filter = { $or: [{ _id: gameround }, { ...fieldsOf(key), holds: true as const }] };
      const projection = { version: 1, confirmed: 1, holds: 1 };
      for (let attempt = 1; ; attempt += 1) {
        try {
          await rounds.insertOne({ ...own, version: 0, holds: true, since: new Date(), start }, LIMITS);
          return { gameround, confirmed: false };
        } catch (error) {
          if (!isDuplicateKey(error) || attempt === MAX_ATTEMPTS) throw error;
        }
        const found = await rounds.find(filter, { projection, limit: 2, ...LIMITS }).toArray();
        const known = found.find(({ _id }) => _id === gameround);
        if (known !== undefined && known.version > 0) return 'recorded';
        const holder = found.find(({ holds }) => holds);
        if (holder !== undefined) return holderIn(holder);
        // The holder has released the guard meanwhile. Or this round lost it while its bet was undecided.
        if (known !== undefined) await hold({ ...own, version: 0 });
      }
    },
    async free(key, { gameround, confirmed }) {
      const held = { _id: gameround, ...fieldsOf(key), holds: true as const };
      if (!confirmed) return (await rounds.deleteOne({ ...held, ...UNCONFIRMED }, LIMITS)).deletedCount === 1;
      return (await rounds.updateOne(held, { $unset: { holds: '' } }, LIMITS)).modifiedCount === 1;
    },
    async restore(key, gameround) {
      return hold({ _id: gameround, ...fieldsOf(key), ...A_RECORD });
    },
    async confirm(key, gameround, attemptAt) {
      const before = await rounds
        .findOneAndUpdate(
          { _id: gameround, ...fieldsOf(key), holds: true, attemptAt: { $not: { $gt: attemptAt } } },
          { $set: { confirmed: true, early: attemptAt === BEFORE_ANY_ATTEMPT, attemptAt } },
          {
            hint: GUARD_INDEX.key,
            returnDocument: 'before',
            projection: { version: 1, confirmed: 1, early: 1 },
            ...LIMITS,
          },
        )
        .catch(async (error: unknown) => {
          if (isBadValue(error)) await ensureGuardIndex(db);
          throw error;
        });
      if (before === null) return (await this.holder(key))?.gameround === gameround ? 'overtaken' : 'lost';
      if (!wasConfirmed(before)) return 'first';
      return before.version === 0 && before.early === true ? 'early' : 'again';
    },
    async shut(key, gameround, isBegun) {
      const early = isBegun ? [] : [{ version: 0, early: true as const }];
      const { matchedCount } = await rounds.updateOne(
        { _id: gameround, ...fieldsOf(key), holds: true, $or: [UNCONFIRMED, ...early] },
        { $set: { attemptAt: Number.MAX_SAFE_INTEGER } },
        LIMITS,
      );
      return matchedCount === 1;
    },
    async holder(key) {
      const filter = { ...fieldsOf(key), holds: true as const };
      const projection = { version: 1, confirmed: 1 };
      const found = await rounds.findOne(filter, { projection, timeoutMS: READ_TIMEOUT_MS });
      return found === null ? undefined : holderIn(found);
    },
    async *undecidedBets() {
      const undecided = { version: 0, confirmed: true as const, start: { $exists: true } };
      for await (const { _id, start } of rounds.find(undecided, { projection: { start: 1 } }))
        yield { gameround: _id, start: start! };
    },
  };
}

/** The index that allows one holder. */
const GUARD_INDEX = {
  key: { operator: 1, player: 1, game: 1, mode: 1 },
  name: 'guard',
  unique: true,
  partialFilterExpression: { holds: true },
} as const;

/**
 * While a collection is without the index, for instance after it was dropped, several rounds of a player can take the guard.
 * None of them can confirm it, so none has sent a bet: they lose it.
 */
export async function ensureGuardIndex(db: Db): Promise<void> {
  const rounds = db.collection('gamerounds');
  try {
    await rounds.createIndexes([GUARD_INDEX]);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await rounds.deleteMany(UNCONFIRMED);
    await rounds.createIndexes([GUARD_INDEX]);
  }
}

/** Not a document that only holds the guard. */
export const A_RECORD = { version: { $ne: 0 } };

/** A round that has sent nothing. */
const UNCONFIRMED = { version: 0, confirmed: { $exists: false } };

function holderIn(found: Pick<GuardDocument, '_id' | 'version' | 'confirmed'>): GuardHolder {
  return { gameround: found._id, confirmed: wasConfirmed(found) };
}

/** A record is only written after the initial debit was decided. */
function wasConfirmed({ version, confirmed }: Pick<GuardDocument, 'version' | 'confirmed'>): boolean {
  return version > 0 || confirmed === true;
}

function fieldsOf({ operatorId, playerId, gameCode, mode }: GuardKey) {
  return { operator: operatorId, player: playerId, game: gameCode, mode };
}

/** MongoDB refuses a hint that names no index with this code. */
function isBadValue(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 2;
}
