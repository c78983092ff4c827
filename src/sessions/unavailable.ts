import { MongoError } from 'mongodb';
import { refuseBecause } from '../domain/errors';

/**
 * Runs something that needs MongoDB. What MongoDB itself fails with becomes 503 SERVICEUNAVAILABLE with the reason as
 * `cause`; anything else stays what it is.
 */
export async function needingMongo<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMongos(error)) throw error;
    throw refuseBecause(error, 'SERVICEUNAVAILABLE');
  }
}

/** Also a socket's own error, which the driver lets through where the server closes as it writes (EPIPE). */
function isMongos(error: unknown): boolean {
  if (error instanceof MongoError) return true;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E[A-Z]+$/.test(code);
}
