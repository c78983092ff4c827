import { MongoClient, type Db } from 'mongodb';

export interface Database {
  client: MongoClient;
  db: Db;
}

/**
 * Every write is acknowledged by a majority and journaled: money rests on some of them. Waiting for a server is
 * bounded, so that a database that is down shows as an error and not as a hanging call.
 */
export function openDatabase(uri: string, databaseName: string): Database {
  const client = new MongoClient(uri, {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
    readConcern: { level: 'majority' },
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
