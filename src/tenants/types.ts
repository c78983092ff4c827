import type { OperatorAddress, ProviderAddress } from '../clients/types';
import type { SomeGameSettings } from '../domain/game-settings';

/** An operator as the service works with it; durations in milliseconds, secrets in the clear (docs/interface#tenants-file). */
export interface OperatorSettings extends OperatorAddress {
  autoCloseAfterMs: number;
  gameRoundReport: boolean;
  /** 0: the time stamp is not checked. */
  timestampToleranceMs: number;
  /** ISO code → currency multiplier. */
  currencies: Readonly<Record<string, number>>;
  gameSettings: SomeGameSettings;
  /** Profile name → settings that win over the operator's own. */
  profiles: Readonly<Record<string, SomeGameSettings>>;
  /** Error ids of a credit call that are repeated like a 5xx. */
  repeatableErrorIds: readonly number[];
  /** See DeliveryFacts (src/domain/classify-wallet-reply.ts). */
  strictReplies: boolean;
  /** It can't take back a single follow-up debit. */
  voidsWholeRound: boolean;
  /** Pretend money of a demo launch in minor units, before the multiplier. */
  demoBalance: number;
}

export interface ProviderSettings extends ProviderAddress {
  timestampToleranceMs: number;
}

export interface GameDefinition {
  gameCode: string;
  providerId: string;
  name: string;
  studio: string;
  launchUrl: string;
  /** Draws from the service's RNG; others bring their results. */
  serviceRng: boolean;
  followUpDebits: boolean;
  resultCallback: boolean;
  historyCallback: boolean;
}

/** Who the service works for. Answers come from memory, at most `refreshMs` behind MongoDB, also while that is down. */
export interface Tenants {
  operator(operatorId: string): OperatorSettings | undefined;
  provider(providerId: string): ProviderSettings | undefined;
  game(gameCode: string): GameDefinition | undefined;
  games(): readonly GameDefinition[];
  /** False until MongoDB was read once: then an unknown id may be one that only MongoDB knows. */
  readonly complete: boolean;
  refresh(): Promise<void>;
  close(): Promise<void>;
}
