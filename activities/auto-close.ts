import { ApplicationFailure } from '@temporalio/activity';
import type { ProviderClient } from '../src/clients/types';
import type { GameroundActivities } from '../src/contracts/activities';
import type { RoundIdentity } from '../src/domain/round/types';
import { FAILURE_TYPES } from './failures';
import type { TenantLookup } from './types';

export interface AutoCloseDependencies {
  tenants: TenantLookup;
  provider: ProviderClient;
  gameSettings(round: RoundIdentity): Promise<object>;
}

export function createAutoCloseActivities(
  deps: AutoCloseDependencies,
): Pick<GameroundActivities, 'autoClose'> {
  return {
    async autoClose(round) {
      const provider = await deps.tenants.provider(round.providerId);
      const gameSettings = await deps.gameSettings(round);
      try {
        await deps.provider.doAutoClose(provider, { gameRound: round.gameround, gameSettings });
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'failed';
        throw ApplicationFailure.nonRetryable(reason, FAILURE_TYPES.autoCloseFailed);
      }
    },
  };
}
