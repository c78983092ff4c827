import type { ErrorObject } from './errors';

/** Replies of the interface (docs/interface/objects.md), as far as a client reads them. */
export interface TokenData {
  operatorId: string;
  playerId: string;
  gameId: string;
  mode: string;
  currency: string;
  currentToken: string;
  gameRound?: string;
  walletMode?: string;
  language?: string;
  currencyMultiplier?: number;
  device?: string;
  commonDraw?: string;
}

export interface DiscountInfo {
  text: string;
  currency: string;
  discounts: { stake: number; absoluteDiscountAmount: number; spinsRemaining: number }[];
  campaignId: string;
  validFrom: string;
  validTo: string;
}

export interface FreePlayInfo {
  used: number;
  granted: number;
  won: number;
  isLast: boolean;
  promotions?: { protocolVersion: number; data: string };
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
  mode?: string;
  currency?: string;
  balances?: { type: string; currency: string; amount: number }[];
  discountInfo?: DiscountInfo;
  tickets?: {
    count: number;
    stake: number;
    currency: string;
    price: number;
    feature: string;
    serial: string;
  }[];
  ticketInfo?: FreePlayInfo;
}

export interface GameRoundInfo {
  hash: string;
  status: 'open' | 'closed' | 'cancel';
  stake?: number;
  baseStake?: number;
  mode?: string;
  currency?: string;
  game?: string;
  currencyMultiplier?: number;
  commonRoundHash?: string;
}

export interface GameStateEntry {
  hash: string;
  type: string;
  processedOn?: string;
  result?: { winAmount?: number; info?: Record<string, string> };
  amountWagered?: number;
  collected?: number;
  reason?: string;
}

export interface TransactionRecord {
  type: string;
  isFirstDebit?: boolean;
  amount?: number;
  discountAmount?: number;
  discountCampaignId?: string;
  currency?: string;
  hash: string;
  timestamp?: string;
  reason?: string;
  freePlayStake?: number;
  freePlayUsed?: boolean;
  serial?: string;
}

export interface GameReply {
  tokenData?: TokenData;
  /** Of voidGameRound it may be missing or a bare number, and is not authoritative. */
  balance?: Balance | number;
  gameRoundInfo?: GameRoundInfo;
  commonGameRoundInfo?: Record<string, string>;
  gameState?: GameStateEntry[];
  amountToCollect?: number;
  amountCredited?: number;
  freePlayInfo?: FreePlayInfo;
  freePlaysAvailable?: FreePlaysAvailable[];
  passThroughData?: Record<string, string>;
  promoWinInfo?: { referenceId: string };
  spinsAvailable?: number;
  protectedInfo?: Record<string, string>;
  /** Of getGameRoundInfo only: all that was won in the round so far. */
  totalWinAmount?: number;
  transactions?: TransactionRecord[];
  errorCode?: ErrorObject;
}

export interface GameRoundRecord {
  hash: string;
  player: string;
  mode: string;
  game: string;
  operator: string;
  status: string;
  language: string;
  currency: string;
  environment: string;
  timestamp: string;
  totalBetAmount: number;
  totalWinAmount: number;
  transactions: TransactionRecord[];
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
