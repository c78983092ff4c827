import type { WalletBalance } from './wallet-call';

export type Mode = 'real' | 'demo' | 'history';

/** A player in one game, as a session token stands for it. The token itself is never part of it. */
export interface Session {
  /** SHA-256 of the token: safe to keep, useless to an eavesdropper. */
  sessionId: string;
  operatorId: string;
  playerId: string;
  gameCode: string;
  providerId: string;
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
