import { LRUCache } from 'lru-cache';
import type { Session } from '../domain/session';
import { withKnown, type WalletBalance } from '../domain/wallet-call';
import { GRACE_PERIOD_MS, MINUTE_MS, SESSION_MS, type SessionChange, type SessionDocument } from './store';

const MAX_CACHED = 50_000;
const MAX_UNWRITTEN = 50_000;
/** A larger balance (with very many tickets) is kept in memory only. */
const MAX_BALANCE_BYTES = 16_384;

/** A session in memory: the document from MongoDB and newer changes. */
export interface CachedSession {
  document: SessionDocument;
  /** When MongoDB was last read, by the monotonic clock. */
  readAt: number;
  lastUsed: number;
  writtenUse: number;
  balance?: { value: WalletBalance; at: number };
}

/** A limited cache of sessions, so that they work while MongoDB is down, and of their unwritten changes. */
export class SessionCache {
  readonly #sessions = new LRUCache<string, CachedSession>({ max: MAX_CACHED });
  readonly #unwritten = new Map<string, CachedSession>();

  get(sessionId: string): CachedSession | undefined {
    return this.#sessions.get(sessionId) ?? this.#unwritten.get(sessionId);
  }

  /** Updates the session from MongoDB's document. Newer values in memory stay. */
  upsert(document: SessionDocument, readAt: number): CachedSession {
    const known = this.get(document._id);
    const stored = document.lastUsed.getTime();
    const cached = known ?? { document, readAt, lastUsed: stored, writtenUse: stored };
    cached.document = document;
    cached.readAt = readAt;
    cached.lastUsed = Math.max(cached.lastUsed, stored);
    cached.writtenUse = Math.max(cached.writtenUse, stored);
    const balanceAt = document.balanceAt?.getTime() ?? 0;
    const value = balanceIn(document);
    if (value !== undefined && balanceAt >= (cached.balance?.at ?? 0)) {
      cached.balance = { value, at: balanceAt };
    }
    this.#sessions.set(document._id, cached);
    return cached;
  }

  evict(sessionId: string): void {
    this.#sessions.delete(sessionId);
    this.#unwritten.delete(sessionId);
  }

  /** Notes a use. Uses of a session are written at most once a minute. */
  use(cached: CachedSession, now: number): void {
    cached.lastUsed = Math.max(cached.lastUsed, now);
    if (cached.lastUsed - cached.writtenUse >= MINUTE_MS) this.#toWrite(cached);
  }

  keepBalance(sessionId: string, replied: WalletBalance, isWhole: boolean, now: number): void {
    const cached = this.get(sessionId);
    if (cached === undefined) return;
    const value = isWhole ? replied : withKnown(replied, cached.balance?.value)!;
    // The time must rise with each balance, even if the system clock was set back.
    cached.balance = { value, at: Math.max(now, (cached.balance?.at ?? 0) + 1) };
    if (JSON.stringify(value).length <= MAX_BALANCE_BYTES) this.#toWrite(cached);
  }

  /** Returns the unwritten changes. They count as written unless they are requeued. */
  drainUnwritten(): { changes: SessionChange[]; requeue: () => void } {
    const taken = [...this.#unwritten.values()];
    this.#unwritten.clear();
    const changes = taken.map(({ document, lastUsed, balance }) => ({
      sessionId: document._id,
      lastUsed,
      ...(balance === undefined ? {} : { balance }),
    }));
    taken.forEach((cached) => (cached.writtenUse = cached.lastUsed));
    return { changes, requeue: () => taken.forEach((cached) => this.#toWrite(cached)) };
  }

  #toWrite(cached: CachedSession): void {
    this.#unwritten.set(cached.document._id, cached);
    if (this.#unwritten.size <= MAX_UNWRITTEN) return;
    const [oldest] = this.#unwritten.keys();
    if (oldest !== undefined) this.#unwritten.delete(oldest);
  }
}

/** The last known balance, or the balance of the launch. */
function balanceIn({ lastBalance, balance }: SessionDocument): WalletBalance | undefined {
  return lastBalance === undefined ? balance : (JSON.parse(lastBalance) as WalletBalance);
}

/** `forgotten`: the session counts as unknown, even if MongoDB hasn't deleted it yet. */
export function sessionStatus(cached: CachedSession, now: number): 'live' | 'expired' | 'forgotten' {
  const loggedOut = cached.document.loggedOutAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const ended = Math.min(cached.lastUsed + SESSION_MS, loggedOut);
  if (now <= ended && now < loggedOut) return 'live';
  return now <= ended + GRACE_PERIOD_MS ? 'expired' : 'forgotten';
}

export function sessionOf(cached: CachedSession, now: number): Session {
  const { document } = cached;
  return {
    sessionId: document._id,
    operatorId: document.operatorId,
    playerId: document.playerId,
    gameCode: document.gameCode,
    providerId: document.providerId,
    mode: document.mode,
    currency: document.currency,
    currencyMultiplier: document.currencyMultiplier,
    language: document.language,
    device: document.device,
    walletMode: document.walletMode,
    expired: sessionStatus(cached, now) !== 'live',
    onlyGameround: document.onlyGameround,
    ...(cached.balance === undefined ? {} : { balance: cached.balance.value }),
  };
}
