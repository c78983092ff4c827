import type { RoundTransaction } from './types';

/* Questions about a round's transactions, for decisions and reconciliation. */

/** Hashes of the debits that have a void. A void carries the hash of its debit. */
export function voidedHashes(transactions: readonly RoundTransaction[]): Set<string> {
  return new Set(transactions.filter(({ type }) => type === 'void').map(({ hash }) => hash));
}

/** Hashes of the debits that a void has given back for certain. */
export function givenBackHashes(transactions: readonly RoundTransaction[]): Set<string> {
  return voidedHashes(transactions.filter(({ outcome }) => outcome === 'accepted'));
}

/** Debits that were taken, or may have been. */
export function takenDebits(transactions: readonly RoundTransaction[]): RoundTransaction[] {
  return transactions.filter(
    ({ type, outcome }) => type === 'debit' && (outcome === 'accepted' || outcome === 'unknown'),
  );
}

/** Debits with an unknown outcome and without a void. A person has to settle such a round. */
export function undecidedDebits(transactions: readonly RoundTransaction[]): RoundTransaction[] {
  const voided = voidedHashes(transactions);
  return transactions.filter(
    ({ type, outcome, hash }) => type === 'debit' && outcome === 'unknown' && !voided.has(hash),
  );
}

/** Transactions of which nobody knows whether they took effect. */
export function openTransactions(transactions: readonly RoundTransaction[]): RoundTransaction[] {
  const undecided = new Set(undecidedDebits(transactions));
  return transactions.filter((one) => one.outcome === 'pending' || undecided.has(one));
}
