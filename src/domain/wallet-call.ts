import type { ErrorObject } from './errors';

/** The longest `walletTimeout` that an operator may have. */
export const MAX_WALLET_TIMEOUT_MS = 60_000;

export type TransactionType = 'debit' | 'credit' | 'end' | 'void';

/** One transaction of a `doTransactions` call (docs/interface#operator-transaction). */
export interface OperatorTransaction {
  type: TransactionType;
  /** Debits only. */
  isFirstDebit?: boolean;
  currency: string;
  /** Idempotency key. A void carries the hash of the debit that it voids. */
  hash: string;
  /** Minor units. Absent for end, void, and a debit that a ticket pays. */
  amount?: number;
  /** ISO 8601. */
  timestamp: string;
  reason?: string;
  /** The serial of the ticket that pays a debit without amount. */
  serial?: string;
}

export type WalletPurpose = 'debit' | 'credit' | 'void';

/** The transactions of one `doTransactions` call and its purpose. */
export interface WalletCall {
  /** `debit`: [debit] or [debit, end]; `credit`: [credit], [credit, end] or [end]; `void`: [void]. */
  purpose: WalletPurpose;
  transactions: OperatorTransaction[];
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
  told: WalletBalance | undefined,
  known: WalletBalance | undefined,
): WalletBalance | undefined {
  if (told === undefined) return known;
  const balances = told.balances.length > 0 ? told.balances : (known?.balances ?? []);
  return { ...known, ...told, balances };
}

/** The raw result of one delivery, before it is classified. */
export type WalletAnswer =
  | { kind: 'answer'; status: number; body: unknown }
  /**
   * Timeout, broken connection, oversized reply: the wallet may or may not have processed the call. `unsent`: this delivery
   * certainly did not reach the wallet, since the service may not call its address.
   */
  | { kind: 'no-response'; reason: string; unsent?: true };

/**
 * The outcome of one delivery. Unknown is never treated as declined, nor as accepted (docs/interface#outcomes).
 *
 * Debits: `accepted` | `declined` | `unknown`. Credits and ends: `accepted` | `repeat` | `refused`.
 * Voids: `accepted` | `repeat` | `refused` (the wallet does not accept our signature).
 */
export type WalletOutcome =
  | {
      kind: 'accepted';
      /** Only the end of [debit, end] or [credit, end] was refused. */
      endRefused?: ErrorObject;
      balance?: WalletBalance;
      /** Voids only: the first delivery got a 400, so the operator never confirmed the void. */
      unconfirmed?: boolean;
    }
  | {
      kind: 'declined';
      /** 401 or error id 1001: the operator doesn't accept our signature. Also set if the service may not call its address. */
      unauthorised: boolean;
      errorCode?: ErrorObject;
      /** The refusal lists the debit as processed, or has id 12 for an initial debit. It may have been taken, so it is voided. */
      processed: boolean;
    }
  | { kind: 'unknown'; reason: string }
  | {
      kind: 'repeat';
      reason: string;
      /** The credit of this call was accepted, although the call as a whole has to be retried. */
      creditAccepted: boolean;
      /** A delivery of the credit got no definite answer. */
      maybePaid: boolean;
    }
  | {
      kind: 'refused';
      /** 401 or error id 1001. */
      unauthorised: boolean;
      /** Identifies the operator's secrets that were in use, without revealing them. */
      signedWith?: string;
      errorCode?: ErrorObject;
      /** As in `repeat`, from this delivery or an earlier one. */
      creditAccepted: boolean;
      maybePaid: boolean;
      balance?: WalletBalance;
    };
