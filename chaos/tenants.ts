import type { Party } from '../test/support/e2e-http';
import { operatorParty, OTHER_PROVIDER, PROVIDER } from '../test/support/e2e-tenants';

/** An operator of a run. Each operator has different settings. */
export interface ChaosOperator {
  operatorId: string;
  walletTimeout: string;
  autoCloseAfterMs: number;
  voidsWholeRound?: true;
  gameRoundReport: boolean;
  repeatableErrorIds: number[];
}

/** An error id of the operator after which the service has to send a credit again. */
export const REPEATABLE_ERROR_ID = 7_001;

export const OPERATORS: readonly ChaosOperator[] = [
  // Auto-closes open rounds after a few seconds, and gets a report of every close.
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

/** The first game takes follow-up debits. The second one has the result callback after every close. */
export const GAMES = ['chaos-cards', 'chaos-slot'] as const;
/** A game that is moved from one provider to another and back. Only the fault `game moved` plays it. */
export const MOVING_GAME = 'chaos-moving';
export type Game = (typeof GAMES)[number] | typeof MOVING_GAME;

export const CURRENCY = 'EUR';
export const partyOf = (operatorId: string): Party => operatorParty(operatorId);
export const provider: Party = PROVIDER;
export const otherProvider: Party = OTHER_PROVIDER;

/** The changes to the tenants' file since the start of the run. */
export interface TenantsChange {
  walletTimeouts: Record<string, string>;
  /** How often the secret of each operator was changed. */
  rotations: Record<string, number>;
  /** The provider that owns the moving game. */
  mover: Party;
}
export const UNCHANGED: TenantsChange = { walletTimeouts: {}, rotations: {}, mover: provider };

/** An operator's secrets after this number of changes, newest first. The first one signs. */
export function secretsOf(operatorId: string, rotations: number): string[] {
  const { secret } = partyOf(operatorId);
  return Array.from({ length: rotations + 1 }, (_, n) => (n === 0 ? secret : `${secret}-${n}`)).reverse();
}
/** More changes than a run makes. */
export const MAX_ROTATIONS = 50;

/** The text of the TENANTS_FILE (docs/interface#tenants-file). `wallets` and `gameUrl` are the addresses of links. */
export function chaosTenants(
  wallets: ReadonlyMap<string, string>,
  gameUrl: string,
  { walletTimeouts, rotations, mover }: TenantsChange,
): string {
  const operators = OPERATORS.map(({ operatorId, autoCloseAfterMs, walletTimeout, ...rest }) => ({
    ...rest,
    operatorId,
    walletTimeout: walletTimeouts[operatorId] ?? walletTimeout,
    operatorUrl: wallets.get(operatorId),
    secrets: secretsOf(operatorId, rotations[operatorId] ?? 0),
    autoCloseAfter: `${autoCloseAfterMs}ms`,
    currencies: { [CURRENCY]: 1 },
  }));
  const providers = [provider, otherProvider].map(({ id, secret }) => ({
    ...{ providerId: id, gameUrl, secrets: [secret] },
  }));
  const games = [...GAMES, MOVING_GAME].map((gameCode) => ({
    gameCode,
    providerId: gameCode === MOVING_GAME ? mover.id : provider.id,
    name: gameCode,
    studio: 'Chaos',
    launchUrl: `${gameUrl}/play`,
    followUpDebits: gameCode === 'chaos-cards',
    resultCallback: gameCode === 'chaos-slot',
  }));
  return JSON.stringify({ operators, providers, games });
}
