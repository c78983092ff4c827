import type { WalletBalance } from './wallet-call';

export type Mode = 'real' | 'demo' | 'history';

/** Whose a round is. */
export interface Owner {
  operatorId: string;
  playerId: string;
  gameCode: string;
  providerId: string;
}

/** To everybody else the round is as if it did not exist. */
export function owns(one: Owner, round: Owner): boolean {
  return (
    one.operatorId === round.operatorId &&
    one.playerId === round.playerId &&
    one.gameCode === round.gameCode &&
    one.providerId === round.providerId
  );
}

/** A player in one game, as a session token stands for it. The token itself is never part of it. */
export interface Session extends Owner {
  /** SHA-256 of the token: safe to keep, useless to an eavesdropper. */
  sessionId: string;
  mode: Mode;
  currency: string;
  currencyMultiplier: number;
  language: string;
  device: string;
  walletMode: string;
  /** Older than its hour: no new rounds, but what it opened can be finished. */
  expired: boolean;
  /** The only round it serves: history launches and tokens made by getTokenForGameRound. */
  onlyGameround?: string;
  /** Last balance the operator told for this player. */
  balance?: WalletBalance;
}

/** An expired session reads and finishes what it opened, or what its token was made for. */
export function mayFinish(session: Session, round: { gameround: string; sessionId: string }): boolean {
  if (!session.expired || session.onlyGameround === round.gameround) return true;
  return session.sessionId === round.sessionId;
}
