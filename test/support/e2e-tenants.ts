import type { Party } from './e2e-http';

export interface OperatorOptions {
  operatorId: string;
  /** Default `2s`: hanging calls don't hold up the tests. */
  walletTimeout?: string;
  autoCloseAfter?: string;
  /** Default: true. */
  gameRoundReport?: boolean;
}

/** The demo game's provider. */
export const PROVIDER: Party = { id: 'gp1', secret: 'e2e-provider-secret' };
export const GAME_CODE = 'demo-slot';

export function operatorParty(operatorId: string): Party {
  return { id: operatorId, secret: `e2e-secret-of-${operatorId}` };
}

/** TENANTS_FILE (contract §1) of a stack: its operators with one wallet, the demo game. */
export function tenantsFile(parts: {
  walletUrl: string;
  gameUrl: string;
  operators: readonly OperatorOptions[];
}): string {
  const { walletUrl, gameUrl } = parts;
  const operators = parts.operators
    .map((options) => ({ gameRoundReport: true, walletTimeout: '2s', autoCloseAfter: '24h', ...options }))
    .map(({ operatorId, walletTimeout, autoCloseAfter, gameRoundReport }) => ({
      operatorId,
      operatorUrl: walletUrl,
      secrets: [operatorParty(operatorId).secret],
      autoCloseAfter,
      walletTimeout,
      gameRoundReport,
      currencies: { EUR: 1, JPY: 100 },
    }));
  const providers = [{ providerId: PROVIDER.id, gameUrl, secrets: [PROVIDER.secret] }];
  const game = { gameCode: GAME_CODE, providerId: PROVIDER.id, name: 'Demo Slot', studio: 'Sandbox' };
  const games = [{ ...game, launchUrl: `${gameUrl}/play`, serviceRng: true }];
  return JSON.stringify({ operators, providers, games });
}
