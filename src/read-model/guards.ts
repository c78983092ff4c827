import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from './connect';

/** One document per operator, player, game and mode. Only the round whose hash is in it may send its initial debit. */
interface GuardDocument {
  _id: string;
  gameround: string;
  /** The holder's workflow has confirmed the guard, so its initial debit may have been sent. */
  confirmed: boolean;
  /** Schedule time of the newest attempt that confirmed it, by the Temporal server's clock; milliseconds since the epoch. */
  attemptAt?: number;
  since: Date;
}

const READ_TIMEOUT_MS = 1_000;
/** A database that hangs causes an error well before the time of a caller or an activity is over. */
const LIMITS = { timeoutMS: 2_000 };

export interface GuardKey {
  operatorId: string;
  playerId: string;
  gameCode: string;
  mode: string;
}

export interface GuardHolder {
  gameround: string;
  confirmed: boolean;
}

export type Confirmed = 'first' | 'again' | 'lost' | 'overtaken';

export interface Guards {
  /** Takes the guard for a round if it is free. Returns the holder: this round or another one. */
  take(key: GuardKey, gameround: string): Promise<GuardHolder>;
  /** Takes the guard over from a holder whose round is not open any more. False if the holder changed meanwhile. */
  replace(key: GuardKey, holder: GuardHolder, gameround: string): Promise<boolean>;
  /**
   * Confirms the guard before the initial debit.
   * - `first`: nothing was sent yet.
   * - `again`: the guard was confirmed before, so the debit may have been sent.
   * - `lost`: another round has the guard.
   * - `overtaken`: a newer attempt has confirmed the guard (this one was frozen), so this attempt must not send. Or the
   *   Temporal server's clock was set back; then a later attempt succeeds.
   */
  confirm(key: GuardKey, gameround: string, attemptAt: number): Promise<Confirmed>;
  /** If no attempt has confirmed the guard, prevents every later confirmation and returns true: nothing was or will be sent. */
  shut(key: GuardKey, gameround: string): Promise<boolean>;
  holder(key: GuardKey): Promise<string | undefined>;
  /** Releases the guard. Does nothing if another round has it. */
  release(key: GuardKey, gameround: string): Promise<void>;
}

export function createGuards(db: Db): Guards {
  const guards: Collection<GuardDocument> = db.collection<GuardDocument>('roundguards');
  return {
    async take(key, gameround) {
      const fresh = { gameround, confirmed: false, since: new Date() };
      try {
        const held = await guards.findOneAndUpdate(
          { _id: idOf(key) },
          { $setOnInsert: fresh },
          { upsert: true, returnDocument: 'after', ...LIMITS },
        );
        return { gameround: held?.gameround ?? gameround, confirmed: held?.confirmed ?? false };
      } catch (error) {
        // Two inserts at the same time: the document of the other one exists now.
        if (!isDuplicateKey(error)) throw error;
        return this.take(key, gameround);
      }
    },
    async replace(key, holder, gameround) {
      const result = await guards.updateOne(
        { _id: idOf(key), gameround: holder.gameround, confirmed: holder.confirmed },
        { $set: { gameround, confirmed: false, since: new Date() }, $unset: { attemptAt: '' } },
        LIMITS,
      );
      return result.modifiedCount === 1;
    },
    async confirm(key, gameround, attemptAt) {
      const before = await guards.findOneAndUpdate(
        { _id: idOf(key), gameround, attemptAt: { $not: { $gt: attemptAt } } },
        { $set: { confirmed: true, attemptAt } },
        { returnDocument: 'before', ...LIMITS },
      );
      if (before === null) return (await this.holder(key)) === gameround ? 'overtaken' : 'lost';
      return before.confirmed ? 'again' : 'first';
    },
    async shut(key, gameround) {
      const { matchedCount } = await guards.updateOne(
        { _id: idOf(key), gameround, confirmed: false },
        { $set: { attemptAt: Number.MAX_SAFE_INTEGER } },
        LIMITS,
      );
      return matchedCount === 1;
    },
    async holder(key) {
      return (await guards.findOne({ _id: idOf(key) }, { timeoutMS: READ_TIMEOUT_MS }))?.gameround;
    },
    async release(key, gameround) {
      await guards.deleteOne({ _id: idOf(key), gameround }, LIMITS);
    },
  };
}

/** No identifier may contain `#`, so two different keys never give the same id. */
function idOf({ operatorId, playerId, gameCode, mode }: GuardKey): string {
  return [operatorId, playerId, gameCode, mode].join('#');
}
