import type { OperatorWallet, ProviderClient } from '../src/clients/types';
import type { GameroundActivities } from '../src/contracts/activities';
import { gameRoundDetail } from '../src/domain/round/record';
import type { TenantLookup } from './types';

export interface PostCloseDependencies {
  tenants: TenantLookup;
  wallet: OperatorWallet;
  provider: ProviderClient;
  environment: string;
}

/** Activities after the close of a round. No player waits for them; failures are retried by their policies. */
export function createPostCloseActivities(
  deps: PostCloseDependencies,
): Pick<GameroundActivities, 'fetchResult' | 'report'> {
  return {
    async fetchResult(round) {
      const provider = await deps.tenants.provider(round.providerId);
      return deps.provider.getGameResult(provider, { gameRound: round.gameround });
    },
    async report(snapshot) {
      const operator = await deps.tenants.operator(snapshot.identity.operatorId);
      await deps.wallet.doGameRoundReport(operator, gameRoundDetail(snapshot, deps.environment));
    },
  };
}
