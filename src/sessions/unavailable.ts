import { MongoError } from 'mongodb';
import { refuse } from '../domain/errors';

/**
 * Runs something that needs MongoDB. What MongoDB itself fails with becomes 503 SERVICEUNAVAILABLE with the reason as
 * `cause`; anything else stays what it is.
 */
export async function needingMongo<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    throw Object.assign(refuse('SERVICEUNAVAILABLE'), { cause: error });
  }
}
