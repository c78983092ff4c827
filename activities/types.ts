import type { ErrorObject } from '../src/domain/errors';
import type { RoundSnapshot } from '../src/domain/round/types';
import type { Delivery } from '../src/domain/wallet-rules';
import type { OperatorAddress, ProviderAddress } from '../src/clients/types';

export type KnownOperator = OperatorAddress & {
  repeatableErrorIds: readonly number[];
  strictReplies: boolean;
};

/** What reconciliation does to a round, through its workflow. */
export interface RoundControl {
  /**
   * Closes an open round without ever voiding it; rejects while that is still going on. Returns the
   * operator's error where it refused the closing for good.
   */
  closeForReconciliation(gameround: string): Promise<ErrorObject | undefined>;
  resolveCrashed(gameround: string, accepted: string[]): Promise<void>;
  read(gameround: string): Promise<RoundSnapshot | undefined>;
}

/** When things happened, by the Temporal server's clock; milliseconds since the epoch. */
export interface ServerTimes {
  /** When the running attempt of an activity was begun. */
  startedAt(workflow: WorkflowRun, activityId: string): Promise<number>;
  /**
   * When the oldest signal of this name came that the workflow took with the task that this event is the start of; undefined
   * where it took none.
   */
  signalledAt(workflow: WorkflowRun, name: string, taskStartedEventId: number): Promise<number | undefined>;
}

export interface WorkflowRun {
  workflowId: string;
  runId: string;
}

/** Is told of each delivery of a wallet call. */
export type Observe = (delivery: Delivery) => void;

/** What the activities need to know of the tenants. Both throw for one that doesn't exist. */
export interface TenantLookup {
  operator(operatorId: string): Promise<KnownOperator>;
  provider(providerId: string): Promise<ProviderAddress>;
}
