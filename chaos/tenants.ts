import type { Party } from '../test/support/e2e-http';
import { operatorParty, PROVIDER } from '../test/support/e2e-tenants';

/** The operators of a run, each of its own kind. */
export interface ChaosOperator {
  operatorId: string;
  walletTimeout: string;
  autoCloseAfterMs: number;
  voidsWholeRound?: true;
  gameRoundReport: boolean;
  repeatableErrorIds: number[];
}

/** An operator's own error after which it wants a credit to be sent again. */
export const REPEATABLE_ERROR_ID = 7_001;

export const OPERATORS: readonly ChaosOperator[] = [
  // Forgotten rounds are closed soon, and every close is reported.
  operator('op-usual', { autoCloseAfterMs: 8_000, gameRoundReport: true }),
  operator('op-whole', { voidsWholeRound: true }),
  operator('op-tight', { walletTimeout: '300ms', autoCloseAfterMs: 20_000 }),
  operator('op-slow', {
    walletTimeout: '4s',
    repeatableErrorIds: [REPEATABLE_ERROR_ID],
    gameRoundReport: true,
  }),
];

function operator(operatorId: string, kind: Partial<ChaosOperator>): ChaosOperator {
  const usual = { walletTimeout: '2s', autoCloseAfterMs: 24 * 3_600_000, gameRoundReport: false };
  return { operatorId, ...usual, repeatableErrorIds: [], ...kind };
}

/** One game takes follow-up debits, the other is asked for its result after every close. */
export const GAMES = ['chaos-cards', 'chaos-slot'] as const;
export type Game = (typeof GAMES)[number];

export const CURRENCY = 'EUR';
export const partyOf = (operatorId: string): Party => operatorParty(operatorId);
export const provider: Party = PROVIDER;

/** TENANTS_FILE (contract: Running it). `wallets` and the game are reached through links that can be broken. */
export function chaosTenants(wallets: ReadonlyMap<string, string>, gameUrl: string): string {
  const operators = OPERATORS.map(({ operatorId, autoCloseAfterMs, ...rest }) => ({
    ...rest,
    operatorId,
    operatorUrl: wallets.get(operatorId),
    secrets: [partyOf(operatorId).secret],
    autoCloseAfter: `${autoCloseAfterMs}ms`,
    currencies: { [CURRENCY]: 1 },
  }));
  const providers = [{ providerId: provider.id, gameUrl, secrets: [provider.secret] }];
  const games = GAMES.map((gameCode) => ({
    gameCode,
    providerId: provider.id,
    name: gameCode,
    studio: 'Chaos',
    launchUrl: `${gameUrl}/play`,
    followUpDebits: gameCode === 'chaos-cards',
    resultCallback: gameCode === 'chaos-slot',
  }));
  return JSON.stringify({ operators, providers, games });
}
