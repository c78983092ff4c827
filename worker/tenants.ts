import type { KnownOperator, TenantLookup } from '../activities/types';
import type { ProviderAddress } from '../src/clients/types';
import { gameSettingsOf } from '../src/domain/game-settings';
import type { RoundIdentity } from '../src/domain/round/types';
import { goOnWith, type Logger } from '../src/logging';
import type { Sessions } from '../src/sessions';
import type { Tenants } from '../src/tenants';

export interface WorkerTenants extends TenantLookup {
  /** The game settings in the body of doAutoClose. */
  gameSettings: (round: RoundIdentity) => Promise<object>;
}

/** Tenants for activities. Refreshes once for an unknown tenant, which may have been added a moment ago. */
export function tenantLookup(
  tenants: Tenants,
  sessions: Pick<Sessions, 'gameSettings'>,
  logger: Pick<Logger, 'warn'>,
): WorkerTenants {
  async function known<T>(find: () => T | undefined, what: string): Promise<T> {
    const found = find();
    if (found !== undefined) return found;
    await tenants.refresh();
    const now = find();
    if (now === undefined) throw new Error(`unknown ${what}`);
    return now;
  }
  return {
    operator: (operatorId): Promise<KnownOperator> =>
      known(() => tenants.operator(operatorId), `operator ${operatorId}`),
    provider: (providerId): Promise<ProviderAddress> =>
      known(() => tenants.provider(providerId), `provider ${providerId}`),
    async gameSettings({ operatorId, currencyMultiplier, sessionId }) {
      // The settings of the launch, with its profiles and options, as long as its session is stored.
      const launched = await sessions
        .gameSettings(sessionId)
        .catch(goOnWith(logger, undefined, 'the settings of a launch could not be read'));
      if (launched !== undefined) return launched;
      const operator = await known(() => tenants.operator(operatorId), `operator ${operatorId}`);
      return gameSettingsOf([operator.gameSettings], currencyMultiplier);
    },
  };
}
