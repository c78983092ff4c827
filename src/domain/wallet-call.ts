import type { ErrorObject } from './errors';

/** The longest `walletTimeout` that a tenant may have. */
export const MAX_WALLET_TIMEOUT_MS = 60_000;

export type TransactionType = 'debit' | 'credit' | 'end' | 'void';

/** One transaction as it goes to the operator in `doTransactions` (docs/interface#operator-transaction). */
export interface OperatorTransaction {
  type: TransactionType;
  /** Debits only. */
  isFirstDebit?: boolean;
  currency: string;
  /** Idempotency key; a void carries the hash of the debit it takes back. */
  hash: string;
  /** Minor units; absent for end, void and a debit paid with a ticket. */
  amount?: number;
  /** ISO 8601. */
  timestamp: string;
  reason?: string;
  /** The ticket that pays a debit without amount. */
  serial?: string;
}

export type WalletPurpose = 'debit' | 'credit' | 'void';

/** The transactions of one `doTransactions` call and what the round wants of it. */
export interface WalletCall {
  /** `debit`: [debit] or [debit, end]; `credit`: [credit], [credit, end] or [end]; `void`: [void]. */
  purpose: WalletPurpose;
  transactions: OperatorTransaction[];
}

/** What a player may bet with besides money, as the operator tells it. Absent: not told; none is an empty list. */
export interface Grants {
  discountInfo?: Record<string, unknown>;
  tickets?: Record<string, unknown>[];
}

export interface WalletBalance extends Grants {
  /** Empty where only the grants are known. */
  balances: { type: string; amount: number; currency: string }[];
  useBonusFirst?: boolean;
}

/** What a reply tells; what it doesn't tell is as it was known before. */
export function withKnown(
  told: WalletBalance | undefined,
  known: WalletBalance | undefined,
): WalletBalance | undefined {
  if (told === undefined) return known;
  const balances = told.balances.length > 0 ? told.balances : (known?.balances ?? []);
  return { ...known, ...told, balances };
}

/** What came back from one delivery of a call, before it is judged. */
export type WalletAnswer =
  | { kind: 'answer'; status: number; body: unknown }
  /**
   * Time-out, broken connection, oversized reply: the wallet may or may not have processed the call. `unsent`: this
   * delivery certainly did not reach it, for its address is one that we don't call.
   */
  | { kind: 'no-response'; reason: string; unsent?: true };

/**
 * The judgement of one delivery. Unknown is never treated as declined, nor as accepted (docs/interface#outcomes).
 *
 * Debits: `accepted` | `declined` | `unknown`. Credits and ends: `accepted` | `repeat` | `refused`.
 * Voids: `accepted` | `repeat` | `refused` (the wallet does not accept our signature).
 */
export type WalletOutcome =
  | {
      kind: 'accepted';
      /** [debit, end] or [credit, end] whose end alone was refused. */
      endRefused?: ErrorObject;
      balance?: WalletBalance;
      /** Voids only: a 400 to the very first delivery, so nobody said that the void was processed. */
      unconfirmed?: boolean;
    }
  | {
      kind: 'declined';
      /** 401 or error id 1001: the operator doesn't accept our signature; or its address is one that we don't call. */
      unauthorised: boolean;
      errorCode?: ErrorObject;
      /** A refusal that lists the debit as processed, or id 12 to a first debit: it may have been taken, and is voided. */
      processed: boolean;
    }
  | { kind: 'unknown'; reason: string }
  | {
      kind: 'repeat';
      reason: string;
      /** The credit of this call was accepted although the call as a whole has to be repeated. */
      creditAccepted: boolean;
      /** Some delivery of the credit ended without a definite answer. */
      maybePaid: boolean;
    }
  | {
      kind: 'refused';
      /** 401 or error id 1001. */
      unauthorised: boolean;
      /** Names the operator's secrets that were in use, without telling them. */
      signedWith?: string;
      errorCode?: ErrorObject;
      /** As in `repeat`: known of the credit of this call from this delivery or an earlier one. */
      creditAccepted: boolean;
      maybePaid: boolean;
      balance?: WalletBalance;
    };
