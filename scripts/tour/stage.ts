import { setTimeout as pause } from 'node:timers/promises';
import {
  type Balance,
  createOperatorClient,
  type FreePlaysAvailable,
  type OperatorClient,
  ProviderClient,
  type TokenData,
} from '../../sdk';
import { Unexpected } from './show';

/** The clients of the operator and of the game's provider, and the URL of the sandbox's wallet. */
export interface Stage {
  operator: OperatorClient;
  provider: ProviderClient;
  walletUrl: string;
  gameCode: string;
  currency: string;
}

export interface Settings {
  baseUrl: string;
  walletUrl: string;
  operator: { operatorId: string; secret: string };
  provider: { providerId: string; secret: string };
  gameCode: string;
  currency: string;
}

export function createStage({ baseUrl, walletUrl, operator, provider, gameCode, currency }: Settings): Stage {
  return {
    operator: createOperatorClient({ baseUrl, ...operator }),
    // One attempt for each call: a retry would hide an unexpected reply.
    provider: new ProviderClient({ baseUrl, ...provider, maxAttempts: 1 }),
    walletUrl,
    gameCode,
    currency,
  };
}

/** The reply of GET /connect. */
export interface Connected {
  token: string;
  backendUrl: string;
  balance: Balance;
  gameSettings: Record<string, unknown>;
  tokenData: TokenData;
  freePlaysAvailable: FreePlaysAvailable[];
  /** Only for a history launch, and only if the game answers the history callback. */
  gameHistory?: Record<string, string>;
}

/** @throws Unexpected for a status outside 200 to 299 */
export async function fetchJson<Reply>(url: string, body?: object): Promise<Reply> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, body === undefined ? {} : init);
  if (!response.ok) throw new Unexpected(`${new URL(url).pathname} answered ${response.status}`);
  return (await response.json()) as Reply;
}

const EVENTUALLY_MS = 10_000;
const BETWEEN_MS = 500;

/** Repeats `ask` until it returns a value, for at most 10 s. For reports and lists, which follow a little later. */
export async function eventually<Answer>(
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  for (const until = Date.now() + EVENTUALLY_MS; Date.now() < until; await pause(BETWEEN_MS)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
  return undefined;
}
