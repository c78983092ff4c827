import type { ErrorObject } from '../src/domain/errors';
import type { RoundSnapshot } from '../src/domain/round/types';
import type { Delivery } from '../src/domain/wallet-rules';
import type { OperatorAddress, ProviderAddress } from '../src/clients/types';

export type KnownOperator = OperatorAddress & {
  repeatableErrorIds: readonly number[];
  strictReplies: boolean;
};

/** The steps of a reconciliation on a round, through the round's workflow. */
export interface RoundControl {
  /**
   * Closes an open round without ever voiding it. Rejects while the close is in progress. Returns the operator's error if it
   * refused the close for good.
   */
  closeForReconciliation(gameround: string): Promise<ErrorObject | undefined>;
  resolveCrashed(gameround: string, accepted: string[]): Promise<void>;
  read(gameround: string): Promise<RoundSnapshot | undefined>;
}

/** Times by the Temporal server's clock; milliseconds since the epoch. */
export interface ServerTimes {
  /** When the running attempt of an activity started. */
  startedAt(workflow: WorkflowRun, activityId: string): Promise<number>;
  /**
   * The time of the oldest signal of this name that the workflow received with the task that starts with this event;
   * undefined if there was none.
   */
  signalledAt(workflow: WorkflowRun, name: string, taskStartedEventId: number): Promise<number | undefined>;
}

export interface WorkflowRun {
  workflowId: string;
  runId: string;
}

/** Called after each delivery of a wallet call, for logs and metrics. */
export type Observe = (delivery: Delivery) => void;

/** Looks up tenants for the activities. Both methods throw for an unknown tenant. */
export interface TenantLookup {
  operator(operatorId: string): Promise<KnownOperator>;
  provider(providerId: string): Promise<ProviderAddress>;
}
