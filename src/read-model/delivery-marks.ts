import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from './connect';

interface MarkDocument {
  _id: { gameround: string; type: string; hash: string };
  at: Date;
}

/** Longer than a workflow task can be repeated. */
const KEPT_SECONDS = 7 * 24 * 3600;
const TIMEOUT_MS = 1_000;

/**
 * A call that runs inside a workflow task leaves nothing in the history when its worker dies, and is then delivered
 * again as if for the first time. The mark, written before the first delivery, tells the two apart.
 */
export interface DeliveryMarks {
  /** `again`: the delivery of these transactions was begun before, and nobody knows how it ended. */
  begin(
    gameround: string,
    transactions: readonly { type: string; hash: string }[],
  ): Promise<'first' | 'again'>;
  /** Some credit of the round was begun, so its debits were accepted. */
  hasCredit(gameround: string): Promise<boolean>;
  ensureIndexes(): Promise<void>;
}

export function createDeliveryMarks(db: Db): DeliveryMarks {
  const marks: Collection<MarkDocument> = db.collection<MarkDocument>('deliverymarks');
  return {
    async begin(gameround, [first]) {
      if (first === undefined) throw new TypeError('a call without transactions');
      try {
        // The first transaction stands for its call: the same ones always go together.
        const _id = { gameround, type: first.type, hash: first.hash };
        await marks.insertOne({ _id, at: new Date() }, { timeoutMS: TIMEOUT_MS });
        return 'first';
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return 'again';
      }
    },
    async hasCredit(gameround) {
      const filter = { '_id.gameround': gameround, '_id.type': 'credit' };
      return (await marks.findOne(filter, { timeoutMS: TIMEOUT_MS })) !== null;
    },
    async ensureIndexes() {
      await marks.createIndexes([
        { key: { at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_SECONDS },
        { key: { '_id.gameround': 1, '_id.type': 1 }, name: 'gameround' },
      ]);
    },
  };
}
