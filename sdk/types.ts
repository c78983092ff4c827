/** The replies of the interface (docs/interface/objects.md). */
export interface TokenData {
  operatorId: string;
  playerId: string;
  gameId: string;
  mode: 'real' | 'demo' | 'history';
  currency: string;
  currentToken: string;
  /** The hash of the round; empty if there is none. */
  gameRound: string;
  walletMode: string;
  language: string;
  currencyMultiplier: number;
  device: string;
  commonDraw: string;
}

/** DiscountInfo and Ticket are passed through as the operator sent them, so every field is optional. */
export interface DiscountInfo {
  text?: string;
  currency?: string;
  discounts?: {
    stake?: number;
    absoluteDiscountAmount?: number;
    spinsRemaining?: number;
    [entry: string]: unknown;
  }[];
  campaignId?: string;
  validFrom?: string;
  validTo?: string;
  [entry: string]: unknown;
}

export interface Ticket {
  count?: number;
  stake?: number;
  currency?: string;
  price?: number;
  feature?: string;
  serial?: string;
  [entry: string]: unknown;
}

export interface FreePlayInfo {
  used: number;
  granted: number;
  won: number;
  isLast: boolean;
  promotions: { protocolVersion: number; data: string };
  serial: string;
}

export interface FreePlaysAvailable {
  currency: string;
  stake: number;
  count: number;
  feature: string;
  serial: string;
}

export interface Balance {
  totalBalance: number;
  mode: string;
  currency: string;
  balances: { type: string; currency: string; amount: number }[];
  discountInfo?: DiscountInfo;
  tickets?: Ticket[];
  ticketInfo?: FreePlayInfo;
}

export interface GameRoundInfo {
  hash: string;
  status: 'open' | 'closed' | 'cancel';
  stake: number;
  baseStake: number;
  mode: string;
  currency: string;
  game: string;
  currencyMultiplier: number;
  commonRoundHash: string;
}

export interface GameStateEntry {
  hash: string;
  type: string;
  processedOn: string;
  result: { winAmount: number; info: Record<string, string> };
  /** Entries of the service that are not in `info`, because the provider's data uses their names. */
  own?: Record<string, string>;
  amountWagered: number;
  collected: number;
  reason: string;
}

export interface TransactionRecord {
  type: 'debit' | 'credit' | 'end' | 'void';
  isFirstDebit?: boolean;
  amount?: number;
  discountAmount?: number;
  discountCampaignId?: string;
  currency: string;
  hash: string;
  timestamp: string;
  reason?: string;
  freePlayStake?: number;
  freePlayUsed?: boolean;
  serial?: string;
}

/** The reply of a successful call. A refusal is an InterfaceError; its `body` is the reply. */
export interface GameReply {
  tokenData: TokenData;
  /** Absent if the service does not know it. */
  balance?: Balance;
  gameRoundInfo: GameRoundInfo;
  commonGameRoundInfo: Record<string, string>;
  gameState: GameStateEntry[];
  amountToCollect: number;
  amountCredited: number;
  /** Present if a ticket paid the bet. */
  freePlayInfo?: FreePlayInfo;
  freePlaysAvailable: FreePlaysAvailable[];
  passThroughData: Record<string, string>;
  promoWinInfo?: { referenceId: string };
}

/** The reply of voidGameRound. Its balance is not authoritative (docs/interface#void-reply). */
export type VoidReply = Omit<GameReply, 'tokenData' | 'balance'> & {
  tokenData?: TokenData;
  balance?: Balance | number;
};

export type SpinCounterReply = GameReply & { spinsAvailable: number };

export type HistoryReply = GameReply & { protectedInfo: Record<string, string> };

export type RoundInfoReply = GameReply & {
  /** The sum of all wins of the round so far. */
  totalWinAmount: number;
  transactions: TransactionRecord[];
};

export type OpenRound = GameRoundInfo & {
  timestamp: string;
  amountToCollect: number;
  /** The round waits for a reconciliation. */
  crashed?: true;
};

export interface LastRound {
  id: string;
  status: 'closed';
  timestamp: string;
  bet: number;
  won: number;
  currency: string;
  gameSpecificDetails: Record<string, string>;
}

export interface GameRoundRecord {
  hash: string;
  player: string;
  mode: string;
  game: string;
  operator: string;
  status: GameRoundInfo['status'];
  language: string;
  currency: string;
  environment: string;
  timestamp: string;
  totalBetAmount: number;
  totalWinAmount: number;
  transactions: TransactionRecord[];
  /** The round waits for a reconciliation. */
  crashed?: true;
  /** The provider's reply to getGameResult. */
  dataStored?: Record<string, string>;
}

export interface GameConfiguration {
  gameCode: string;
  config: {
    stakes: number[];
    currency: string;
    currencyMultiplier: number;
    expectedRtp: number;
    maxPayoutOdds: number;
    [entry: string]: unknown;
  };
}
