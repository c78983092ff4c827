import type { ErrorObject } from '../domain/errors';
import type { ReconcileOutcome } from '../domain/round/reconcile';
import type { RoundSnapshot } from '../domain/round/types';

export const RECONCILE_WORKFLOW = 'reconcile';

/** One id per round, so that a repeated reconciliation joins the run that is in progress. */
export function reconcileWorkflowIdOf(gameround: string): string {
  return `reconcile-${gameround}`;
}

export interface ReconcileResult {
  outcome: ReconcileOutcome;
  /** The round after the reconciliation. */
  round: RoundSnapshot;
}

export interface ClosedRound {
  round: RoundSnapshot;
  /** The operator's error if it rejected the close for good. Then the round is crashed. */
  rejected?: ErrorObject | undefined;
}

export interface ReconcileActivities {
  /** Closes the round if it is open, and reads it from its workflow, or from its record after retention. */
  closeAndRead(gameround: string): Promise<ClosedRound>;
  /** Sends every transaction again, once. */
  resend(round: RoundSnapshot): Promise<ReconcileOutcome>;
  /** The operator has confirmed the voids of the round: it is no longer counted as waiting for them. */
  confirmVoids(gameround: string): Promise<void>;
  /** Ends a crashed round after its owed transactions were accepted, and reads it again. */
  settleCrashed(gameround: string, accepted: string[]): Promise<RoundSnapshot>;
}
