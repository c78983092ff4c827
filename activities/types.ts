import type { OperatorAddress, ProviderAddress } from '../src/clients/types';

export type KnownOperator = OperatorAddress & { repeatableErrorIds: readonly number[] };

/** What the activities need to know of the tenants. Both throw for one that doesn't exist. */
export interface TenantLookup {
  operator(operatorId: string): Promise<KnownOperator>;
  provider(providerId: string): Promise<ProviderAddress>;
}
