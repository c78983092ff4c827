import { MongoClient, type Db } from 'mongodb';

export interface Database {
  client: MongoClient;
  db: Db;
}

/** What a URI may say of how reads and writes are done: taken out of it. */
const HOW = [
  ...['readPreference', 'readPreferenceTags', 'maxStalenessSeconds', 'readConcernLevel'],
  ...['w', 'journal', 'j', 'wtimeout', 'wtimeoutMS', 'retryWrites', 'retryReads'],
];
const SAID_OF_IT = new RegExp(`([?&])(?:${HOW.join('|')})=[^&]*`, 'gi');

/**
 * Every write is acknowledged by a majority and journaled, and every read asks the primary, whatever the URI says: money
 * rests on some of them. Waiting for a server is bounded, so that a database that is down shows as an error and not as a
 * hanging call.
 */
export function openDatabase(uri: string, databaseName: string): Database {
  const client = new MongoClient(uri.replace(SAID_OF_IT, '$1'), {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    socketTimeoutMS: 10_000,
    maxPoolSize: 50,
    waitQueueTimeoutMS: 2_000,
    // Absent optional fields stay absent.
    ignoreUndefined: true,
  });
  return { client, db: client.db(databaseName) };
}

export function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { code?: unknown }).code === 11000;
}
