import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from './connect';

/** At most one open round per operator, player, game and mode: one document, whoever's hash is in it may play. */
interface GuardDocument {
  _id: string;
  gameround: string;
  /** The holder's workflow has confirmed it: its first debit may have been sent. */
  confirmed: boolean;
  /** When the newest attempt that confirmed it was scheduled, by the Temporal server's clock; milliseconds since the epoch. */
  attemptAt?: number;
  since: Date;
}

const READ_TIMEOUT_MS = 1_000;
/** A database that hangs shows as an error well before a caller's or an activity's time is over. */
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
  /** Takes the guard for a round; answers the holder, which is the round itself when it has it. */
  take(key: GuardKey, gameround: string): Promise<GuardHolder>;
  /** Takes it over from a holder whose workflow is not open any more; false when the holder changed meanwhile. */
  replace(key: GuardKey, holder: GuardHolder, gameround: string): Promise<boolean>;
  /**
   * The workflow's own word before its first debit. `first`: nothing was sent yet; `again`: it was confirmed before,
   * so the debit may have been sent; `lost`: another round has it; `overtaken`: a newer attempt has confirmed it, as
   * when this one was frozen, so it must not send. Or the Temporal server's clock was set back: then it is for later.
   */
  confirm(key: GuardKey, gameround: string, attemptAt: number): Promise<Confirmed>;
  /** Lets no attempt confirm it any more where none has, and says whether it was so: nothing has been sent then. */
  shut(key: GuardKey, gameround: string): Promise<boolean>;
  holder(key: GuardKey): Promise<string | undefined>;
  /** Gives it back; does nothing when another round has it. */
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
        // Two inserts at once: the other one is there now.
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

/** `#` is refused in every identifier, so that parts can't run together. */
function idOf({ operatorId, playerId, gameCode, mode }: GuardKey): string {
  return [operatorId, playerId, gameCode, mode].join('#');
}
