/* The data of an operator's books. Events are plain JSON, so that the journal can store them. */

export type TransactionType = 'debit' | 'credit' | 'end' | 'void';

export interface ErrorObject {
  id: number;
  msg: string;
  clientmsg: string;
}

/** A received transaction (docs/interface#operator-transaction). `serial` identifies the ticket that pays a debit. */
export interface WalletTransaction {
  type: TransactionType;
  hash: string;
  currency?: string | undefined;
  amount?: number | undefined;
  isFirstDebit?: boolean | undefined;
  serial?: string | undefined;
  timestamp?: string | undefined;
  reason?: string | undefined;
}

export interface TransactionsCall {
  playerId: string;
  gameCode: string;
  gameRound: string;
  transactions: readonly WalletTransaction[];
}

export interface Balance {
  real: number;
  bonus: number;
}

/** One entry of the books: money, a ticket, or an entry without both (an `end`, a void of an unknown debit). */
export interface Movement {
  seq: number;
  at: string;
  type: TransactionType | 'adjustment';
  hash: string;
  playerId: string;
  currency: string;
  gameRound?: string;
  gameCode?: string;
  /** The amount of the transaction. For a void, the amount of its debit. */
  amount: number;
  /** The change of the player's balance. The house's balance changes by the opposite amount. */
  realDelta: number;
  bonusDelta: number;
  balanceAfter: number;
  discountAmount?: number;
  discountCampaignId?: string;
  serial?: string;
}

export interface Ticket {
  serial: string;
  playerId: string;
  gameCode: string;
  currency: string;
  stake: number;
  count: number;
  price: number;
  feature: string;
  /** The list of a balance reply that contains the ticket. */
  listedAs: 'tickets' | 'freePlays';
}

export interface Discount {
  campaignId: string;
  playerId: string;
  currency: string;
  text: string;
  validFrom: string;
  validTo: string;
  discounts: { stake: number; absoluteDiscountAmount: number; spinsRemaining: number }[];
}

/** A refused debit. It moves no money. Each repeat gets the same error, or ROUNDVOIDED if the round is voided. */
export interface RefusedDebit {
  hash: string;
  isFirstDebit: boolean;
  errorCode: ErrorObject;
}

export type RoundStatus = 'open' | 'closed' | 'failed' | 'voided';

/** The maps have the transaction hash as key. Transactions are idempotent on (type, hash). A void has its debit's hash. */
export interface Round {
  gameRound: string;
  playerId: string;
  gameCode: string;
  currency: string;
  status: RoundStatus;
  /** The hash of the initial debit. The debit may be accepted or refused, or only its void has arrived so far. */
  initialDebit: string;
  debits: Map<string, Movement>;
  credits: Map<string, Movement>;
  ends: Map<string, Movement>;
  voids: Map<string, Movement>;
  refused: Map<string, RefusedDebit>;
}

/** An event in the journal. The same events in the same order always result in the same books. */
export type LedgerEvent =
  | { kind: 'moved'; movement: Movement }
  | { kind: 'debitRefused'; at: string; call: CallHead; currency: string; refused: RefusedDebit }
  | { kind: 'ticketGranted'; ticket: Ticket }
  | { kind: 'discountGranted'; discount: Discount };

export type CallHead = Pick<TransactionsCall, 'playerId' | 'gameCode' | 'gameRound'>;

export interface TransactionResult {
  type: TransactionType;
  hash: string;
  errorCode?: ErrorObject;
}

export interface LedgerOptions {
  /** The balance of a new account, in minor units. */
  defaultBalance: number;
  /** Whether a void also voids all other debits of the round (docs/interface#voids-whole-round). */
  voidsWholeRound: boolean;
  /** Further new rounds are refused, since the books are in memory. */
  maxRounds: number;
}
