import type { HttpClient } from './http';
import type { ProviderAddress, ProviderClient } from './types';

const AUTO_CLOSE_TIMEOUT_MS = 30_000;

/** Calls to a game provider (spec "Game-provider callbacks"). */
export function createProviderClient(http: HttpClient): ProviderClient {
  return {
    async doAutoClose(provider, request) {
      const answer = await http.send({
        tenant: provider.providerId,
        method: 'POST',
        url: urlOf(provider, 'doAutoClose'),
        // Unsigned, as the spec has it: the provider knows us by the id and by where we call from.
        headers: { 'x-h-auth-id': provider.providerId, 'x-h-timestamp': new Date().toISOString() },
        body: JSON.stringify(request),
        timeoutMs: AUTO_CLOSE_TIMEOUT_MS,
      });
      if (answer.kind === 'silence') throw new Error(`the provider did not answer: ${answer.reason}`);
      if (answer.status !== 200) throw new Error(`the provider answered ${answer.status}`);
    },
    close: () => http.close(),
  };
}

function urlOf(provider: ProviderAddress, path: string): string {
  return `${provider.gameUrl.replace(/\/+$/, '')}/${path}`;
}
