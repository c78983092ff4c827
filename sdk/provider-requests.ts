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
  rngCallId?: string | undefined;
  result?: string | undefined;
  winAmount?: number | undefined;
  betData?: Record<string, string> | undefined;
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
    debitAmount?: number | undefined;
    currency: string;
    useTicketInfo?: { useTicket: boolean } | undefined;
  };
  endGame?: boolean | undefined;
  closeOpenGame?: boolean | undefined;
  /** At most 32 characters. */
  externalGameProviderRoundId?: string | undefined;
}

export interface AddWinRequest extends RoundRequest {
  rngResult: RngResult;
  collect?: boolean | undefined;
  externalGameProviderTransactionId?: string | undefined;
  jackpotPayout?: { jackpotId: string; jackpotMode: string }[] | undefined;
}

export interface EndGameRequest extends RoundRequest {
  externalGameProviderTransactionId?: string | undefined;
}

export interface CollectWinRequest extends RoundRequest {
  /** At most the open winnings. If absent, all open winnings are collected. */
  amount?: number | undefined;
  externalGameProviderTransactionId?: string | undefined;
}

export interface AddSpinCounterRequest extends RoundRequest {
  counterType: string;
  rngResult: {
    rngCallId?: string | undefined;
    result: { awarded?: number | undefined; used?: number | undefined };
  };
  gameStateResult?: Record<string, string> | undefined;
  externalGameProviderTransactionId?: string | undefined;
}

export interface GameRoundInfoRequest {
  token: string;
  gameRound?: string | undefined;
  externalGameProviderRoundId?: string | undefined;
}

export interface RandomRequest {
  token: string;
  rngEndPoint: string;
  rngPayload: { count: number; min: number; max: number };
}
