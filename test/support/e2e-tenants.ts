import sandbox from '../../sandbox/tenants.json';
import type { Party } from './e2e-http';

export interface OperatorOptions {
  operatorId: string;
  /** Default `2s`, so that hanging calls don't delay the tests. */
  walletTimeout?: string;
  autoCloseAfter?: string;
  /** Default true. */
  gameRoundReport?: boolean;
  voidsWholeRound?: boolean;
  /** Default: the stack's wallet. */
  operatorUrl?: string;
  /** Default false. */
  strictReplies?: boolean;
  repeatableErrorIds?: number[];
}

/** Another game of the demo game's provider. */
export interface GameOptions {
  gameCode: string;
  followUpDebits?: boolean;
  name?: string;
  historyCallback?: boolean;
  resultCallback?: boolean;
}

/** The demo game's provider, the same as in `npm run tour`, and another provider with another game. */
export const PROVIDER: Party = { id: 'gp1', secret: sandbox.providers[0]!.secrets[0]! };
export const GAME_CODE = 'demo-slot';
export const OTHER_PROVIDER: Party = { id: 'gp2', secret: 'e2e-other-secret' };
export const OTHER_GAME_CODE = 'other-slot';

/** Currencies with two, no and three decimals, and one with a code of four letters. */
export const CURRENCIES = { EUR: 1, JPY: 100, KWD: 0.1, USDT: 10 };

export function operatorParty(operatorId: string): Party {
  const known = sandbox.operators.find((operator) => operator.operatorId === operatorId);
  return { id: operatorId, secret: known?.secrets[0] ?? `e2e-secret-of-${operatorId}` };
}

/** The text of a stack's TENANTS_FILE (docs/interface#tenants-file). */
export function tenantsFile(parts: {
  walletUrl: string;
  gameUrl: string;
  otherGameUrl: string;
  operators: readonly OperatorOptions[];
  games: readonly GameOptions[];
}): string {
  const { walletUrl, gameUrl, otherGameUrl } = parts;
  const operators = parts.operators.map((options) => ({
    operatorUrl: walletUrl,
    secrets: [operatorParty(options.operatorId).secret],
    autoCloseAfter: '24h',
    walletTimeout: '2s',
    gameRoundReport: true,
    currencies: CURRENCIES,
    ...options,
  }));
  const providers = [
    { providerId: PROVIDER.id, gameUrl, secrets: [PROVIDER.secret] },
    { providerId: OTHER_PROVIDER.id, gameUrl: otherGameUrl, secrets: [OTHER_PROVIDER.secret] },
  ];
  const about = { studio: 'Sandbox', serviceRng: true, historyCallback: true };
  const games = [
    {
      ...{ gameCode: GAME_CODE, providerId: PROVIDER.id, name: 'Demo Slot' },
      ...{ ...about, launchUrl: `${gameUrl}/play` },
    },
    {
      ...{ gameCode: OTHER_GAME_CODE, providerId: OTHER_PROVIDER.id, name: 'Other Slot' },
      ...{ ...about, launchUrl: `${otherGameUrl}/play` },
    },
    ...parts.games.map((game) => ({
      ...{ providerId: PROVIDER.id, name: 'Slot', studio: 'Sandbox', launchUrl: `${gameUrl}/play` },
      ...game,
    })),
  ];
  return JSON.stringify({ operators, providers, games });
}
