import type { Db } from 'mongodb';
import { refuse } from '../domain/errors';
import type { Logger } from '../logging';
import { sessionStatus, SessionCache, sessionOf, type CachedSession } from './cache';
import { createPlayers } from './players';
import {
  GRACE_PERIOD_MS,
  createSessionStore,
  LAUNCH_MS,
  SESSION_MS,
  type LaunchDocument,
  type SessionDocument,
  type SessionStore,
} from './store';
import { looksLikeToken, newToken, tokenHash } from './tokens';
import type { OpenSession, SessionSeed, Sessions } from './types';
import { needingMongo } from './unavailable';
import type { MonotonicClock } from '../domain/time';

export type { OpenSession, PlayerDetails, RegisteredPlayer, SessionSeed, Sessions } from './types';

/** A cached session is used without a read for this long. Then it is read again, if MongoDB responds in time. */
const FRESH_MS = 10_000;
const REREAD_PATIENCE_MS = 250;
const WRITE_EVERY_MS = 1_000;

export interface SessionsOptions {
  db: Db;
  logger: Logger;
  /** Milliseconds since the epoch. */
  clock?: () => number;
  monotonicNow?: MonotonicClock;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { clock = Date.now, monotonicNow = () => performance.now() } = options;
  const players = createPlayers(options.db, clock);
  const store = createSessionStore(options.db);
  const cache = new SessionCache();
  const lookups = createLookups(store, cache, clock, monotonicNow);
  const writer = writeBehind(store, cache, options.logger);

  function opened(token: string, cached: CachedSession): OpenSession {
    return { token, session: sessionOf(cached, clock()), gameSettings: cached.document.gameSettings };
  }

  async function add(token: string, seed: SessionSeed): Promise<OpenSession> {
    const document = await store.addSession(documentOf(tokenHash(token), seed, clock()));
    return opened(token, cache.upsert(document, monotonicNow()));
  }

  async function resolve(token: string, fresh: boolean, providerId?: string): Promise<OpenSession> {
    const cached = await lookups.find(token, fresh, providerId);
    const now = clock();
    const life = sessionStatus(cached, now);
    if (life === 'forgotten') throw refuse('TOKENNOTFOUND');
    if (life === 'live') cache.use(cached, now);
    return opened(token, cached);
  }

  return {
    register: (operatorId, playerId, details) => players.register(operatorId, playerId, details),

    launch: (seed) =>
      needingMongo(async () => {
        const token = newToken();
        const now = clock();
        await store.addLaunch({
          _id: tokenHash(token),
          seed,
          expiresAt: new Date(now + LAUNCH_MS),
          // Kept as long as its session, so that a spent token can be distinguished from an unknown one.
          deleteAt: new Date(now + LAUNCH_MS + SESSION_MS + GRACE_PERIOD_MS),
        });
        return token;
      }),

    connect: (launchToken) =>
      needingMongo(async () => {
        if (!looksLikeToken(launchToken)) throw refuse('TOKENNOTFOUND');
        const launchId = tokenHash(launchToken);
        const launch = await store.spend(launchId, 'connect', clock());
        if (launch !== undefined) return add(newToken(), launch.seed);
        const state = await store.launchState(launchId, clock());
        throw refuse(state === 'none' ? 'TOKENNOTFOUND' : 'LAUNCHURLSPENT');
      }),

    undoConnect: async (launchToken, { session }) => {
      cache.evict(session.sessionId);
      await store.restoreLaunch(tokenHash(launchToken), session.sessionId).catch((error: unknown) => {
        options.logger.warn({ error }, 'a launch could not be given back');
      });
    },

    resolve: (token, { fresh = false, providerId } = {}) => resolve(token, fresh, providerId),

    refresh: async (token) => {
      const found = await resolve(token, true);
      if (found.session.expired) throw refuse('TOKENEXPIRED');
      return found;
    },

    logout: async (token) => {
      const cached = await lookups.find(token, true);
      const now = clock();
      if (sessionStatus(cached, now) === 'forgotten') throw refuse('TOKENNOTFOUND');
      await needingMongo(() => store.logOut(cached.document._id, now));
      cached.document = { ...cached.document, loggedOutAt: cached.document.loggedOutAt ?? new Date(now) };
    },

    open: (seed) => needingMongo(() => add(newToken(), seed)),

    keepBalance: (sessionId, balance, isWhole) => cache.keepBalance(sessionId, balance, isWhole, clock()),

    gameSettings: async (sessionId) =>
      (cache.get(sessionId)?.document ?? (await store.session(sessionId)))?.gameSettings,

    prepare: () => store.prepare(),
    close: () => writer.close(),
  };
}

/** Finds sessions by their tokens: in memory, in MongoDB, or by using up a launch token. */
function createLookups(
  store: SessionStore,
  cache: SessionCache,
  clock: () => number,
  monotonicNow: MonotonicClock,
) {
  const running = new Map<string, Promise<CachedSession>>();

  async function read(sessionId: string, providerId: string | undefined): Promise<CachedSession> {
    const document = (await store.session(sessionId)) ?? (await spendByCall(sessionId, providerId));
    if (document === undefined) {
      cache.evict(sessionId);
      const state = await store.launchState(sessionId, clock(), providerId);
      throw refuse(state === 'spent' ? 'LAUNCHURLSPENT' : 'TOKENNOTFOUND');
    }
    return cache.upsert(document, monotonicNow());
  }

  /** Concurrent calls with the same launch token get the same session: its id is the hash of the launch token. */
  async function spendByCall(
    launchId: string,
    providerId: string | undefined,
  ): Promise<SessionDocument | undefined> {
    if (providerId === undefined) return undefined;
    const now = clock();
    const launch = await store.spend(launchId, 'call', now, providerId);
    return launch !== undefined && isRecent(launch, now)
      ? store.addSession(documentOf(launchId, launch.seed, now))
      : undefined;
  }

  function readOnce(sessionId: string, providerId: string | undefined): Promise<CachedSession> {
    const key = JSON.stringify([sessionId, providerId]);
    const known = running.get(key);
    if (known !== undefined) return known;
    const reading = needingMongo(() => read(sessionId, providerId)).finally(() => running.delete(key));
    running.set(key, reading);
    return reading;
  }

  /** While MongoDB is down or slow, the session in memory is used (docs/interface#mongodb-down-round). */
  async function reread(cached: CachedSession, sessionId: string): Promise<CachedSession> {
    const reading = readOnce(sessionId, undefined).catch((error: unknown) => {
      if (isUnavailable(error)) return cached;
      throw error;
    });
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<CachedSession>((resolve) => {
      timer = setTimeout(() => resolve(cached), REREAD_PATIENCE_MS);
    });
    try {
      return await Promise.race([reading, patience]);
    } finally {
      clearTimeout(timer);
      // eslint-disable-next-line no-restricted-syntax -- a late error returns with the next read
      reading.catch(() => undefined);
      cached.readAt = monotonicNow();
    }
  }

  return {
    async find(token: string, fresh: boolean, providerId?: string): Promise<CachedSession> {
      if (!looksLikeToken(token)) throw refuse('TOKENNOTFOUND');
      const askedAt = monotonicNow();
      const sessionId = tokenHash(token);
      const cached = cache.get(sessionId) ?? (await readOnce(sessionId, providerId));
      if (providerId !== undefined && cached.document.providerId !== providerId)
        throw refuse('TOKENNOTFOUND');
      return (fresh && cached.readAt < askedAt) || askedAt - cached.readAt >= FRESH_MS
        ? reread(cached, sessionId)
        : cached;
    },
  };
}

/** An old launch whose session is deleted must not create a session again. */
function isRecent(launch: LaunchDocument, now: number): boolean {
  return launch.spentAt !== undefined && now - launch.spentAt.getTime() < SESSION_MS;
}

function isUnavailable(error: unknown): boolean {
  const { refusal } = error as { refusal?: { status: number } };
  return refusal?.status === 503;
}

function documentOf(sessionId: string, seed: SessionSeed, now: number): SessionDocument {
  return {
    _id: sessionId,
    ...seed,
    createdAt: new Date(now),
    lastUsed: new Date(now),
    deleteAt: new Date(now + SESSION_MS + GRACE_PERIOD_MS),
  };
}

/** Writes uses and balances to MongoDB once a second. Failed writes are repeated the next time. */
function writeBehind(store: SessionStore, cache: SessionCache, logger: Logger): { close(): Promise<void> } {
  let writing: Promise<void> = Promise.resolve();
  let failing = false;

  async function write(): Promise<void> {
    const { changes, requeue } = cache.drainUnwritten();
    try {
      await store.write(changes);
      failing = false;
    } catch (error) {
      requeue();
      if (!failing) logger.warn({ error }, 'session uses and balances wait for MongoDB');
      failing = true;
    }
  }

  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    writing = write().finally(() => (busy = false));
  }, WRITE_EVERY_MS).unref();

  return {
    close: async () => {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}
