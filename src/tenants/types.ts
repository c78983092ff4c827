import type { OperatorAddress, ProviderAddress } from '../clients/types';
import type { SomeGameSettings } from '../domain/game-settings';

/** The settings of an operator. Durations are in milliseconds, secrets are decrypted (docs/interface#tenants-file). */
export interface OperatorSettings extends OperatorAddress {
  autoCloseAfterMs: number;
  gameRoundReport: boolean;
  /** 0: the time of the timestamp is not checked. */
  timestampToleranceMs: number;
  /** ISO code → currency multiplier. */
  currencies: Readonly<Record<string, number>>;
  gameSettings: SomeGameSettings;
  /** Profile name → settings that override the operator's settings. */
  profiles: Readonly<Record<string, SomeGameSettings>>;
  /** A credit call that is refused with one of these error ids is retried, like after a 5xx. */
  repeatableErrorIds: readonly number[];
  /** See DeliveryHistory (src/domain/classify-wallet-reply.ts). */
  strictReplies: boolean;
  /** The operator can't void a single follow-up debit, only the whole round. */
  voidsWholeRound: boolean;
  /** The balance of a demo launch in minor units, before the currency multiplier. */
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
  /** The game draws from the service's RNG. Other games send their own results. */
  serviceRng: boolean;
  followUpDebits: boolean;
  resultCallback: boolean;
  historyCallback: boolean;
}

/** The operators, providers and games, from memory. They are at most `refreshMs` older than MongoDB, unless MongoDB is down. */
export interface Tenants {
  operator(operatorId: string): OperatorSettings | undefined;
  provider(providerId: string): ProviderSettings | undefined;
  game(gameCode: string): GameDefinition | undefined;
  games(): readonly GameDefinition[];
  /** False until MongoDB was read once. Until then an unknown id may exist in MongoDB. */
  readonly complete: boolean;
  refresh(): Promise<void>;
  close(): Promise<void>;
}
