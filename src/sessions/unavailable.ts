import { MongoError } from 'mongodb';
import { refuseBecause } from '../domain/errors';

/**
 * Runs work that needs MongoDB. An error of MongoDB becomes 503 SERVICEUNAVAILABLE with the error as `cause`. Other errors
 * stay as they are.
 */
export async function needingMongo<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMongos(error)) throw error;
    throw refuseBecause(error, 'SERVICEUNAVAILABLE');
  }
}

/** Includes errors of the socket: the driver passes them through if the server closes during a write (EPIPE). */
function isMongos(error: unknown): boolean {
  if (error instanceof MongoError) return true;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E[A-Z]+$/.test(code);
}
