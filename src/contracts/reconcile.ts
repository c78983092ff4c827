import type { ErrorObject } from '../domain/errors';
import type { ReconcileOutcome } from '../domain/round/reconcile';
import type { RoundSnapshot } from '../domain/round/types';

export const RECONCILE_WORKFLOW = 'reconcile';

/** Repeats join the run that is under way. */
export function reconcileWorkflowIdOf(gameround: string): string {
  return `reconcile-${gameround}`;
}

export interface ReconcileResult {
  outcome: ReconcileOutcome;
  /** The round as it stands afterwards. */
  round: RoundSnapshot;
}

export interface ClosedRound {
  round: RoundSnapshot;
  /** What the operator said to the closing, where it refused it for good: the round is crashed. */
  refused?: ErrorObject;
}

export interface ReconcileActivities {
  /** Closes the round when it is open, and reads it: from its workflow, past retention from its record. */
  closeAndRead(gameround: string): Promise<ClosedRound>;
  /** Sends every transaction again, once. */
  resend(round: RoundSnapshot): Promise<ReconcileOutcome>;
  /** Ends a crashed round whose owed transactions were accepted, and reads it again. */
  settleCrashed(gameround: string, accepted: string[]): Promise<RoundSnapshot>;
}
