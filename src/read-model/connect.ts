import { MongoClient, type Db } from 'mongodb';

export interface Database {
  client: MongoClient;
  db: Db;
}

/** URI options about reads and writes. They are removed, since the options below must apply. */
const HOW = [
  ...['readPreference', 'readPreferenceTags', 'maxStalenessSeconds', 'readConcernLevel'],
  ...['w', 'journal', 'j', 'wtimeout', 'wtimeoutMS', 'retryWrites', 'retryReads'],
];
const SAID_OF_IT = new RegExp(`([?&])(?:${HOW.join('|')})=[^&]*`, 'gi');

/**
 * Every write is acknowledged by a majority and journaled, and every read goes to the primary, whatever the URI says: guards
 * and records protect money. All waits have a limit, so that a database that is down causes an error and not a hanging call.
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

/** `field`: a field of the unique index; by default any index. */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, keyPattern } = error as { code?: unknown; keyPattern?: object };
  return code === 11000 && (field === undefined || (keyPattern !== undefined && field in keyPattern));
}
