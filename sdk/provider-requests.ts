import type { DebugOptions } from './debug';
import type { RetryOptions } from './retry';

/** Requests of the game-engine API (docs/interface#game-engine-api). */
export interface ProviderClientOptions extends RetryOptions, DebugOptions {
  /** The address of the service. */
  baseUrl: string;
  providerId: string;
  secret: string;
  timeoutMs?: number | undefined;
  now?: (() => Date) | undefined;
}

export interface RngResult {
  rngCallId?: string;
  result?: string;
  winAmount?: number;
  betData?: Record<string, string>;
}

export interface RoundRequest {
  token: string;
  gameRound: string;
}

export interface StartGameRequest {
  token: string;
  rngResult: RngResult;
  debitInformation: {
    /** In minor units, including the currency multiplier. Omit it if a ticket pays. */
    debitAmount?: number;
    currency: string;
    useTicketInfo?: { useTicket: boolean };
  };
  endGame?: boolean;
  closeOpenGame?: boolean;
  /** At most 32 characters. */
  externalGameProviderRoundId?: string;
}

export interface AddWinRequest extends RoundRequest {
  rngResult: RngResult;
  collect?: boolean;
  externalGameProviderTransactionId?: string;
  jackpotPayout?: { jackpotId: string; jackpotMode: string }[];
}

export interface EndGameRequest extends RoundRequest {
  externalGameProviderTransactionId?: string;
}

export interface CollectWinRequest extends RoundRequest {
  /** At most the open winnings. If absent, all open winnings are collected. */
  amount?: number;
  externalGameProviderTransactionId?: string;
}

export interface AddSpinCounterRequest extends RoundRequest {
  counterType: string;
  rngResult: { rngCallId?: string; result: { awarded?: number; used?: number } };
  gameStateResult?: Record<string, string>;
  externalGameProviderTransactionId?: string;
}

export interface GameRoundInfoRequest {
  token: string;
  gameRound?: string;
  externalGameProviderRoundId?: string;
}

export interface RandomRequest {
  token: string;
  rngEndPoint: string;
  rngPayload: { count: number; min: number; max: number };
}
