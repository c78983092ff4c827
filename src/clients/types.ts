import type { ErrorObject } from '../domain/errors';
import type { WalletAnswer, WalletBalance, WalletCall } from '../domain/wallet-call';

/** The data that is needed to call an operator. */
export interface OperatorAddress {
  operatorId: string;
  operatorUrl: string;
  /** Newest first. The first one signs. */
  secrets: readonly string[];
  walletTimeoutMs: number;
}

export interface ProviderAddress {
  providerId: string;
  gameUrl: string;
  secrets: readonly string[];
}

export interface DoTransactions {
  playerId: string;
  gameCode: string;
  gameRound: string;
  call: WalletCall;
}

export interface GetBalance {
  playerId: string;
  currency: string;
  gameCode?: string;
  externalSessionId?: string;
}

export type BalanceAnswer =
  | { kind: 'balance'; balance: WalletBalance }
  /** The operator rejected the call. Its own error is passed through. */
  | { kind: 'rejected'; errorCode?: ErrorObject | undefined }
  | {
      kind: 'unavailable';
      reason: string;
      /** The wallet itself responded, so it is alive. */
      answered?: true;
    };

/** The client of the operator's protocol: signing, limits, no redirects, one connection pool per operator. */
export interface OperatorWallet {
  doTransactions(operator: OperatorAddress, request: DoTransactions): Promise<WalletAnswer>;
  getBalance(operator: OperatorAddress, request: GetBalance): Promise<BalanceAnswer>;
  /** Sends a round's report (docs/interface#do-game-round-report). Throws with the reason if the operator did not accept it. */
  doGameRoundReport(operator: OperatorAddress, gameRoundDetail: { hash: string }): Promise<void>;
  close(): Promise<void>;
}

export interface ProviderClient {
  /** Resolves if the provider responds with 200 (docs/interface#do-auto-close). Throws with the reason otherwise. */
  doAutoClose(provider: ProviderAddress, request: { gameRound: string; gameSettings: object }): Promise<void>;
  /** The unchecked reply (docs/interface#get-game-configuration). Throws with the reason. */
  getGameConfiguration(
    provider: ProviderAddress,
    query: { currency: string; currencyMultiplier: number; gameCode: string },
  ): Promise<unknown>;
  /** Free-form strings about a closed round. Throws with the reason. */
  getGameResult(provider: ProviderAddress, request: { gameRound: string }): Promise<Record<string, string>>;
  doGetGameHistory(
    provider: ProviderAddress,
    request: { gameRound: string; playerId: string; language: string },
  ): Promise<Record<string, string>>;
  close(): Promise<void>;
}
