import type { RoundSnapshot } from '../src/domain/round/types';
import type { OperatorAddress, ProviderAddress } from '../src/clients/types';

export type KnownOperator = OperatorAddress & {
  repeatableErrorIds: readonly number[];
  strictReplies: boolean;
};

/** What reconciliation does to a round, through its workflow. */
export interface RoundControl {
  /** Closes an open round without ever voiding or crashing it; rejects while that is still going on. */
  closeGently(gameround: string): Promise<void>;
  settleCrashed(gameround: string, accepted: string[]): Promise<void>;
  read(gameround: string): Promise<RoundSnapshot | undefined>;
}

/** What the activities need to know of the tenants. Both throw for one that doesn't exist. */
export interface TenantLookup {
  operator(operatorId: string): Promise<KnownOperator>;
  provider(providerId: string): Promise<ProviderAddress>;
}
