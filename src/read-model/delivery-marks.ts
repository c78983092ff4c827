import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from './connect';

interface MarkDocument {
  _id: string;
  at: Date;
}

/** Longer than a workflow task can be repeated. */
const KEPT_SECONDS = 7 * 24 * 3600;

/**
 * A call that runs inside a workflow task leaves nothing in the history when its worker dies, and is then delivered
 * again as if for the first time. The mark, written before the first delivery, tells the two apart.
 */
export interface DeliveryMarks {
  /** `again`: this delivery was begun before, and nobody knows how it ended. */
  begin(delivery: string): Promise<'first' | 'again'>;
  ensureIndexes(): Promise<void>;
}

export function createDeliveryMarks(db: Db): DeliveryMarks {
  const marks: Collection<MarkDocument> = db.collection<MarkDocument>('deliverymarks');
  return {
    async begin(delivery) {
      try {
        await marks.insertOne({ _id: delivery, at: new Date() });
        return 'first';
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return 'again';
      }
    },
    async ensureIndexes() {
      await marks.createIndex({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });
    },
  };
}
