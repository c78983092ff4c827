import type { HttpAnswer, HttpClient } from './http';
import { signFields } from './signing';
import type { ProviderAddress, ProviderClient } from './types';

const AUTO_CLOSE_TIMEOUT_MS = 30_000;
const READ_TIMEOUT_MS = 10_000;
const MAX_ENTRIES = 200;
const MAX_ENTRY_CHARS = 4_096;
/** The limit of all entries together. They are part of the round's state, which has its own limit (src/domain/round/size.ts). */
const MAX_BYTES = 64 * 1024;

/** Calls to a game provider (docs/interface#provider-callbacks). Errors say what happened and contain no payload. */
export function createProviderClient(http: HttpClient): ProviderClient {
  async function post(
    provider: ProviderAddress,
    path: string,
    request: { gameRound: string },
  ): Promise<unknown> {
    const answer = await http.send({
      tenant: provider.providerId,
      method: 'POST',
      url: urlOf(provider, path),
      headers: signed(provider, [request.gameRound]),
      body: JSON.stringify(request),
      gameround: request.gameRound,
      timeoutMs: READ_TIMEOUT_MS,
    });
    return bodyOf(answer);
  }

  return {
    async doAutoClose(provider, request) {
      const answer = await http.send({
        tenant: provider.providerId,
        method: 'POST',
        url: urlOf(provider, 'doAutoClose'),
        // Not signed (docs/interface#do-auto-close): the provider recognises the service by the id and the source address.
        headers: { 'x-h-auth-id': provider.providerId, 'x-h-timestamp': new Date().toISOString() },
        body: JSON.stringify(request),
        gameround: request.gameRound,
        timeoutMs: AUTO_CLOSE_TIMEOUT_MS,
      });
      bodyOf(answer);
    },
    async getGameConfiguration(provider, { currency, currencyMultiplier, gameCode }) {
      const query = new URLSearchParams({
        currency,
        currencyMultiplier: String(currencyMultiplier),
        gameCode,
      });
      const answer = await http.send({
        tenant: provider.providerId,
        method: 'GET',
        url: `${urlOf(provider, 'getGameConfiguration')}?${query.toString()}`,
        headers: signed(provider, [currency]),
        timeoutMs: READ_TIMEOUT_MS,
      });
      return bodyOf(answer);
    },
    getGameResult: async (provider, request) => freeForm(await post(provider, 'getGameResult', request)),
    doGetGameHistory: async (provider, request) =>
      freeForm(await post(provider, 'doGetGameHistory', request)),
    close: () => http.close(),
  };
}

function bodyOf(answer: HttpAnswer): unknown {
  if (answer.kind === 'no-response') throw new Error(`the provider did not answer: ${answer.reason}`);
  if (answer.status !== 200) throw new Error(`the provider answered ${answer.status}`);
  return answer.body;
}

/** A free-form object of strings. Other values become JSON texts. It is limited, since it is stored with the round. */
function freeForm(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Error('the provider did not respond with a JSON object');
  }
  const entries = Object.entries(body).slice(0, MAX_ENTRIES);
  let bytes = 0;
  const fitting = entries
    .map(([name, value]) => [wellFormed(name.slice(0, 256)), textOf(value)] as const)
    .filter((entry) => (bytes += Buffer.byteLength(JSON.stringify(entry))) <= MAX_BYTES);
  return Object.fromEntries(fitting);
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return wellFormed(text.slice(0, MAX_ENTRY_CHARS));
}

/** Replaces lone surrogates with U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function signed(provider: ProviderAddress, fields: string[]): Record<string, string> {
  const timestamp = new Date().toISOString();
  const [secret] = provider.secrets;
  if (secret === undefined) throw new TypeError(`provider ${provider.providerId} has no secret`);
  return {
    'x-h-auth-id': provider.providerId,
    'x-h-timestamp': timestamp,
    'x-h-auth-sig': signFields(secret, provider.providerId, timestamp, fields),
  };
}

function urlOf(provider: ProviderAddress, path: string): string {
  return `${provider.gameUrl.replace(/\/+$/, '')}/${path}`;
}
