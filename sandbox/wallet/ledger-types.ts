/** What an operator's books hold. Everything here is JSON, so that the journal can carry it. */

export type TransactionType = 'debit' | 'credit' | 'end' | 'void';

export interface ErrorObject {
  id: number;
  msg: string;
  clientmsg: string;
}

/** A transaction as received (docs/interface#operator-transaction); `serial` is that of the ticket that pays a debit. */
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

/** One effective movement of the books: money, a ticket, or a mark (an `end`, a void of nothing). */
export interface Movement {
  seq: number;
  at: string;
  type: TransactionType | 'adjustment';
  hash: string;
  playerId: string;
  currency: string;
  gameRound?: string;
  gameCode?: string;
  /** As asked for in the transaction; of a void, what it gives back. */
  amount: number;
  /** What it did to the player's balances; the house's are the opposite. */
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
  /** In which of the two lists of a balance reply this operator shows it. */
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

/** A debit that was refused, or that came after its void: the same answer for ever, no movement. */
export interface RefusedDebit {
  hash: string;
  isFirstDebit: boolean;
  errorCode: ErrorObject;
}

export type RoundStatus = 'open' | 'closed' | 'failed' | 'voided';

/** Each map is by transaction hash: idempotency is on (type, hash), a void carries the hash of its debit. */
export interface Round {
  gameRound: string;
  playerId: string;
  gameCode: string;
  currency: string;
  status: RoundStatus;
  /** Hash of the initial debit, whether it was taken, refused, or only named by a void so far. */
  initialDebit: string;
  debits: Map<string, Movement>;
  credits: Map<string, Movement>;
  ends: Map<string, Movement>;
  voids: Map<string, Movement>;
  refused: Map<string, RefusedDebit>;
}

/** What happened, as the journal keeps it. Applying the same events in the same order gives the same books. */
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
  /** In minor units; what a player starts with in a currency that was never seen before. */
  defaultBalance: number;
  /** How this operator reads a void: of its debit only, or (docs/interface#voids-whole-round) of all the round's. */
  voidsWholeRound: boolean;
  /** New rounds beyond it are refused: the books of a sandbox are held in memory. */
  maxRounds: number;
}
