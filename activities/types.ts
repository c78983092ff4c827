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
   * rejected the close for good.
   */
  closeForReconciliation(gameround: string): Promise<ErrorObject | undefined>;
  resolveCrashed(gameround: string, accepted: string[]): Promise<void>;
  read(gameround: string): Promise<RoundSnapshot | undefined>;
}

/** Called after each delivery of a wallet call, for logs and metrics. */
export type Observe = (delivery: Delivery) => void;

/** Looks up tenants for the activities. Both methods throw for an unknown tenant. */
export interface TenantLookup {
  operator(operatorId: string): Promise<KnownOperator>;
  provider(providerId: string): Promise<ProviderAddress>;
}
