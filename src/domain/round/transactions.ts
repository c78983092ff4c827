import type { RoundTransaction } from './types';

/* What a round's transactions say of themselves, for whoever asks: decisions, reconciliation, people. */

/** Hashes of the debits that a void takes back: it carries the hash of its debit. */
export function voidedHashes(transactions: readonly RoundTransaction[]): Set<string> {
  return new Set(transactions.filter(({ type }) => type === 'void').map(({ hash }) => hash));
}

/** Debits that may have been taken, and that nothing takes back: such a round is a person's to settle. */
export function undecidedDebits(transactions: readonly RoundTransaction[]): RoundTransaction[] {
  const voided = voidedHashes(transactions);
  return transactions.filter(
    ({ type, outcome, hash }) => type === 'debit' && outcome === 'unknown' && !voided.has(hash),
  );
}

/** Of what nobody knows whether it took effect. */
export function openTransactions(transactions: readonly RoundTransaction[]): RoundTransaction[] {
  const undecided = new Set(undecidedDebits(transactions));
  return transactions.filter((one) => one.outcome === 'pending' || undecided.has(one));
}
