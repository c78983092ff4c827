/**
 * Changes of workflow code that rounds begun before them must not meet: `patched(…)` asks for each. A name goes, with
 * its older branch, when no round is open that began before it (docs/operations.md "Start, stop, deploy").
 */
export const PATCHES = {
  /** A closed round that waits for the provider's result is marked. */
  resultPending: 'result-pending',
  /** A bet that waits for the database to confirm its guard is marked. */
  debitUnconfirmed: 'debit-unconfirmed',
  /** A crashed round that is settled loses its mark on the workflow. */
  settledShown: 'settled-shown',
  /** Reconciliation closes a crashed round with what it was never asked to pay. */
  crashedClosed: 'crashed-closed',
  /** A record whose last write was late as well is written once more, without the mark. */
  recordUnmarked: 'record-unmarked',
} as const;
