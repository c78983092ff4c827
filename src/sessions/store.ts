import { MongoServerError, type AnyBulkWriteOperation, type Db } from 'mongodb';
import type { WalletBalance } from '../domain/wallet-call';
import type { SessionSeed } from './types';

export const MINUTE_MS = 60_000;
/** How long a launch URL is valid (docs/interface#launch-url). */
export const LAUNCH_MS = MINUTE_MS;
/** How long a session is valid after its last use (docs/interface#session-life). */
export const SESSION_MS = 60 * MINUTE_MS;
/** How long an ended session can still read and finish the rounds that it opened. */
export const GRACE_PERIOD_MS = 7 * 24 * 60 * MINUTE_MS;

/** `_id` is the SHA-256 of the token. */
export interface SessionDocument extends SessionSeed {
  _id: string;
  /** The newest WalletBalance as a JSON text: free-form names of operators may have a meaning in the driver. */
  lastBalance?: string;
  createdAt: Date;
  lastUsed: Date;
  loggedOutAt?: Date;
  balanceAt?: Date;
  /** MongoDB deletes the document at this time (TTL index). */
  deleteAt: Date;
}

export interface LaunchDocument {
  _id: string;
  seed: SessionSeed;
  expiresAt: Date;
  /** After `connect` the session has a new token. After `call` the launch token is the token of the session. */
  spentBy?: 'connect' | 'call';
  spentAt?: Date;
  deleteAt: Date;
}

/** A change of a session that is written in the background. */
export interface SessionChange {
  sessionId: string;
  lastUsed: number;
  balance?: { value: WalletBalance; at: number };
}

export interface SessionStore {
  prepare(): Promise<void>;
  addLaunch(launch: LaunchDocument): Promise<void>;
  /**
   * The launch, if this call used it up or shares it (`call`); undefined otherwise.
   * @param of only a launch of this provider
   */
  spend(
    launchId: string,
    by: 'connect' | 'call',
    now: number,
    of?: string,
  ): Promise<LaunchDocument | undefined>;
  restoreLaunch(launchId: string, sessionId: string): Promise<void>;
  /** `usable`: neither used nor expired. */
  launchState(launchId: string, now: number, of?: string): Promise<'none' | 'usable' | 'spent'>;
  /** Adds the session if it doesn't exist, and returns the stored one. */
  addSession(session: SessionDocument): Promise<SessionDocument>;
  session(sessionId: string): Promise<SessionDocument | undefined>;
  logOut(sessionId: string, now: number): Promise<void>;
  write(changes: readonly SessionChange[]): Promise<void>;
}

const DUPLICATE_KEY = 11_000;

export function createSessionStore(db: Db): SessionStore {
  const sessions = db.collection<SessionDocument>('sessions');
  const launches = db.collection<LaunchDocument>('launches');

  return {
    prepare: async () => {
      await sessions.createIndex({ deleteAt: 1 }, { expireAfterSeconds: 0 });
      await launches.createIndex({ deleteAt: 1 }, { expireAfterSeconds: 0 });
    },

    addLaunch: async (launch) => void (await launches.insertOne(launch)),

    spend: async (launchId, by, now, of) => {
      const unspent = { spentBy: { $exists: false }, expiresAt: { $gt: new Date(now) } };
      const mine = by === 'call' ? { $or: [unspent, { spentBy: 'call' as const }] } : unspent;
      const spent = await launches.findOneAndUpdate(
        { _id: launchId, ...providedBy(of), ...mine },
        [{ $set: { spentBy: by, spentAt: { $ifNull: ['$spentAt', new Date(now)] } } }],
        { returnDocument: 'after' },
      );
      return spent ?? undefined;
    },

    restoreLaunch: async (launchId, sessionId) => {
      await sessions.deleteOne({ _id: sessionId });
      await launches.updateOne(
        { _id: launchId, spentBy: 'connect' },
        { $unset: { spentBy: '', spentAt: '' } },
      );
    },

    launchState: async (launchId, now, of) => {
      const launch = await launches.findOne({ _id: launchId, ...providedBy(of) });
      if (launch === null) return 'none';
      return launch.spentBy === undefined && launch.expiresAt.getTime() > now ? 'usable' : 'spent';
    },

    addSession: async (session) => {
      try {
        await sessions.insertOne(session);
        return session;
      } catch (error) {
        if (!(error instanceof MongoServerError && error.code === DUPLICATE_KEY)) throw error;
        return (await sessions.findOne({ _id: session._id })) ?? session;
      }
    },

    session: async (sessionId) => (await sessions.findOne({ _id: sessionId })) ?? undefined,

    logOut: async (sessionId, now) => {
      await sessions.updateOne(
        { _id: sessionId, loggedOutAt: { $exists: false } },
        { $set: { loggedOutAt: new Date(now) } },
      );
    },

    write: async (changes) => {
      if (changes.length === 0) return;
      // Acknowledged by one server only: if a use or balance is lost, the next wallet call returns the balance again.
      await sessions.bulkWrite(changes.flatMap(operationsOf), { ordered: false, writeConcern: { w: 1 } });
    },
  };
}

function providedBy(providerId: string | undefined): { 'seed.providerId'?: string } {
  return providerId === undefined ? {} : { 'seed.providerId': providerId };
}

function operationsOf(change: SessionChange): AnyBulkWriteOperation<SessionDocument>[] {
  const { sessionId, lastUsed, balance } = change;
  const deleteAt = new Date(lastUsed + SESSION_MS + GRACE_PERIOD_MS);
  const use: AnyBulkWriteOperation<SessionDocument> = {
    updateOne: { filter: { _id: sessionId }, update: { $max: { lastUsed: new Date(lastUsed), deleteAt } } },
  };
  if (balance === undefined) return [use];
  const at = new Date(balance.at);
  // Another process may have stored a newer balance.
  const older = { $or: [{ balanceAt: { $exists: false } }, { balanceAt: { $lt: at } }] };
  return [
    use,
    {
      updateOne: {
        filter: { _id: sessionId, ...older },
        update: { $set: { lastBalance: JSON.stringify(balance.value), balanceAt: at } },
      },
    },
  ];
}
