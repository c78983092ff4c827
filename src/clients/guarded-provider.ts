import { createSlots } from './slots';
import type { ProviderClient } from './types';

export const CALLS_PER_PROVIDER = 32;

/** Limits the calls per provider, so that a slow provider does not block other rounds. A call above the limit fails at once. */
export function guardedProvider(
  provider: ProviderClient,
  callsPerProvider = CALLS_PER_PROVIDER,
): ProviderClient {
  const slots = createSlots(callsPerProvider);

  async function within<T>({ providerId }: { providerId: string }, call: () => Promise<T>): Promise<T> {
    const release = slots.tryAcquire(providerId);
    if (release === undefined) throw new Error('too many calls to this provider at the same time');
    try {
      return await call();
    } finally {
      release();
    }
  }

  return {
    doAutoClose: (to, request) => within(to, () => provider.doAutoClose(to, request)),
    getGameConfiguration: (to, query) => within(to, () => provider.getGameConfiguration(to, query)),
    getGameResult: (to, request) => within(to, () => provider.getGameResult(to, request)),
    doGetGameHistory: (to, request) => within(to, () => provider.doGetGameHistory(to, request)),
    close: () => provider.close(),
  };
}
