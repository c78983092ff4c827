import type { ErrorObject } from './errors';

/** The longest `walletTimeout` that an operator may have. */
export const MAX_WALLET_TIMEOUT_MS = 60_000;

export type TransactionType = 'debit' | 'credit' | 'end' | 'void';

/** One transaction of a `doTransactions` call (docs/interface#operator-transaction). */
export interface OperatorTransaction {
  type: TransactionType;
  /** Debits only. */
  isFirstDebit?: boolean | undefined;
  currency: string;
  /** Idempotency key. A void carries the hash of the debit that it voids. */
  hash: string;
  /** Minor units. Absent for end, void, and a debit that a ticket pays. */
  amount?: number | undefined;
  /** ISO 8601. */
  timestamp: string;
  reason?: string | undefined;
  /** The serial of the ticket that pays a debit without amount. */
  serial?: string | undefined;
}

/** The transactions of one `doTransactions` call and its purpose. */
export type WalletCall = DebitCall | CreditCall | VoidCall;
export type WalletPurpose = WalletCall['purpose'];

/** [debit] or [debit, end] */
export interface DebitCall {
  purpose: 'debit';
  transactions: [debit: OperatorTransaction, ...end: OperatorTransaction[]];
}

/** [credit], [credit, end] or [end]; or what a reconciliation sends again. */
export interface CreditCall {
  purpose: 'credit';
  transactions: OperatorTransaction[];
}

export interface VoidCall {
  purpose: 'void';
  transactions: [OperatorTransaction];
}

/** The call alone, without what else is known of a pending one. */
export function callOf({ purpose, transactions }: WalletCall): WalletCall {
  return { purpose, transactions } as WalletCall;
}

/** The player's discounts and tickets. An absent field: the operator did not send it. An empty list: none are left. */
export interface Grants {
  discountInfo?: Record<string, unknown>;
  tickets?: Record<string, unknown>[];
}

export interface WalletBalance extends Grants {
  /** Empty if only the grants are known. */
  balances: { type: string; amount: number; currency: string }[];
  useBonusFirst?: boolean;
}

/** The balance of a reply. Parts that the reply does not have are taken from the balance known before. */
export function withKnown(
  replied: WalletBalance | undefined,
  known: WalletBalance | undefined,
): WalletBalance | undefined {
  if (replied === undefined) return known;
  const balances = replied.balances.length > 0 ? replied.balances : (known?.balances ?? []);
  return { ...known, ...replied, balances };
}

/** The raw result of one delivery, before it is classified. */
export type WalletAnswer =
  | { kind: 'answer'; status: number; body: unknown }
  /**
   * Timeout, broken connection, oversized reply: the wallet may or may not have processed the call. `unsent`: this delivery
   * certainly did not reach the wallet, since the service may not call its address.
   */
  | { kind: 'no-response'; reason: string; unsent?: true };

/** The outcome of one delivery. Unknown is never treated as declined, nor as accepted (docs/interface#outcomes). */
export type WalletOutcome = DebitOutcome | PayoutOutcome;

export type DebitOutcome = AcceptedOutcome | DeclinedOutcome | UnknownOutcome;

/** Of credits, ends and voids. A void is rejected only if the wallet does not accept our signature. */
export type PayoutOutcome = AcceptedOutcome | RetryableOutcome | RejectedOutcome;

export interface AcceptedOutcome {
  kind: 'accepted';
  /** Only the end of [debit, end] or [credit, end] was rejected. */
  endRejected?: ErrorObject | undefined;
  balance?: WalletBalance | undefined;
  /** Voids only: the first delivery got a 400, so the operator never confirmed the void. */
  unconfirmed?: boolean;
}

export interface DeclinedOutcome {
  kind: 'declined';
  /** 401 or error id 1001: the operator doesn't accept our signature. Also set if the service may not call its address. */
  unauthorised: boolean;
  errorCode?: ErrorObject | undefined;
  /** The reply lists the debit as processed, or has id 12 for an initial debit. It may have been taken, so it is voided. */
  processed: boolean;
  /** Why the debit was not sent at all. Absent if the wallet has declined it. */
  notSent?: string | undefined;
}

export interface UnknownOutcome {
  kind: 'unknown';
  reason: string;
}

/** No definite outcome: the call is retried. */
export interface RetryableOutcome {
  kind: 'retryable';
  reason: string;
  /** This delivery was not sent, so the reason is not the wallet's. */
  notSent?: true | undefined;
  /** The credit of this call was accepted, although the call as a whole has to be retried. */
  creditAccepted: boolean;
  /** A delivery of the credit got no definite answer. */
  maybePaid: boolean;
}

/** The outcome of a delivery whose answer is lost. */
export function noAnswerTo({ purpose, transactions }: WalletCall, reason: string): WalletOutcome {
  if (purpose === 'debit') return { kind: 'unknown', reason };
  const maybePaid = transactions.some(({ type }) => type === 'credit');
  return { kind: 'retryable', reason, creditAccepted: false, maybePaid };
}

export interface RejectedOutcome {
  kind: 'rejected';
  /** 401 or error id 1001. */
  unauthorised: boolean;
  /** Identifies the operator's secrets that were in use, without revealing them. */
  signedWith?: string;
  errorCode?: ErrorObject | undefined;
  /** As in `retryable`, from this delivery or an earlier one. */
  creditAccepted: boolean;
  maybePaid: boolean;
  balance?: WalletBalance | undefined;
}
