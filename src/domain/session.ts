import type { WalletBalance } from './wallet-call';

export type Mode = 'real' | 'demo' | 'history';

/** The owner of a round: operator, player, game and provider. */
export interface Owner {
  operatorId: string;
  playerId: string;
  gameCode: string;
  providerId: string;
}

/** To everyone but its owner, a round looks as if it did not exist. */
export function owns(one: Owner, round: Owner): boolean {
  return (
    one.operatorId === round.operatorId &&
    one.playerId === round.playerId &&
    one.gameCode === round.gameCode &&
    one.providerId === round.providerId
  );
}

/** A player in one game. A session token names it; the token itself is never stored here. */
export interface Session extends Owner {
  /** SHA-256 of the token. It is safe to store, since nobody can use it as a token. */
  sessionId: string;
  mode: Mode;
  currency: string;
  currencyMultiplier: number;
  language: string;
  device: string;
  walletMode: string;
  /** Unused for an hour, or logged out. It starts no new rounds but can finish the rounds that it opened. */
  expired: boolean;
  /** The only round that the token is valid for: in history mode, and for tokens of getTokenForGameRound. */
  onlyGameround?: string | undefined;
  /** The last balance that the operator returned for this player. */
  balance?: WalletBalance;
}

/**
 * Whether the session may use the round. A session has one currency and can't use its player's rounds in another currency:
 * such a round would treat the session's amounts as amounts in its own currency. A token may always use the round that it
 * was made for.
 */
export function reaches(
  session: Session,
  round: Owner & Pick<Session, 'currency'> & { gameround: string },
): boolean {
  const isItsCurrency = session.currency === round.currency || session.onlyGameround === round.gameround;
  return owns(session, round) && isItsCurrency;
}

/** An expired session can read and finish the rounds that it opened, and the round that its token was made for. */
export function mayFinish(session: Session, round: { gameround: string; sessionId: string }): boolean {
  if (!session.expired || session.onlyGameround === round.gameround) return true;
  return session.sessionId === round.sessionId;
}
