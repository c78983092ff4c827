import type { OperatorWallet, ProviderClient } from '../clients/types';
import type { RoundService } from '../commands/types';
import type { ReconcileResult } from '../contracts/reconcile';
import type { ListedRound } from '../domain/round/record';
import type { RoundSnapshot } from '../domain/round/types';
import type { Session } from '../domain/session';
import type { WalletBalance } from '../domain/wallet-call';
import type { Logger } from '../logging';
import type { Metrics } from '../metrics';
import type { Sessions } from '../sessions';
import type { GameDefinition, OperatorSettings, Tenants } from '../tenants';
import type { Health } from './health';
import type { MonotonicClock } from '../domain/time';

/** Reads of rounds from the read model. */
export interface RoundQueries {
  /**
   * The open round of the session's operator, player, game and mode, without crashed rounds; undefined if there is none.
   * Rejects with RefusedError SERVICEUNAVAILABLE if MongoDB can't be read.
   */
  findOpenRound(session: Session): Promise<RoundSnapshot | undefined>;
}

/** Lists of real-money rounds from the read model. Each rejects if MongoDB can't be read. */
export interface RoundLists {
  openRoundsOfPlayer(session: Session, maxRecords: number): Promise<ListedRound[]>;
  openRoundsByGame(providerId: string, gameCode: string, maxRecords: number): Promise<ListedRound[]>;
  closedRounds(session: Session, since: Date, maxRecords: number): Promise<ListedRound[]>;
}

/** Draws of the service's random-number generator. Each is logged for audit before it is returned (docs/interface#random-audit). */
export interface RandomNumbers {
  /** @throws RefusedError INVALIDREQUEST; SERVICEUNAVAILABLE if the draw can't be logged */
  getRandomResult(call: {
    session: Session;
    requestId: string;
    rngEndPoint: unknown;
    rngPayload: unknown;
  }): Promise<{ values: number[]; rngRequestId: string }>;
}

/** Game configurations from the providers, checked and cached. */
export interface ConfigurationsOfGames {
  /** @throws RefusedError INVALIDREQUEST (the operator does not have the currency); GAMEPROVIDERUNAVAILABLE */
  get(
    operator: OperatorSettings,
    game: GameDefinition,
    currency: string,
  ): Promise<{ config: object; gameCode: string }>;
}

export interface RoundCommands extends RoundService {
  /** @param session the session of the round, if known: demo rounds are stored with their sessions */
  describeRound(gameround: string, session?: Session): Promise<RoundSnapshot | undefined>;
}

/** The rounds that a route works with: real rounds, or the rounds of demo sessions. */
export interface Rounds {
  commands: RoundCommands;
  queries: RoundQueries;
}

export interface DemoRounds extends Rounds {
  /** The current pretend balance. */
  balance(session: Session): Promise<WalletBalance>;
}

export interface SandboxTenants {
  operator: { id: string; secret: string };
  provider: { id: string; secret: string };
  gameCode: string;
}

/** A link of the start page. */
export interface StartLink {
  label: string;
  url: string;
}

export interface HttpDeps {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Number of proxies in front of the API whose X-Forwarded-For is trusted. */
  trustedProxies: number;
  tenants: Tenants;
  sessions: Sessions;
  rounds: Rounds;
  /** The sandbox's own tenants, whose calls the page /docs signs. Absent where the service is no sandbox. */
  sandbox?: SandboxTenants | undefined;
  /** Links of the page `/`. Without them, its own. */
  startLinks?: readonly StartLink[];
  /** If absent, demo sessions get MODENOTALLOWED for every round call. */
  demoRounds?: DemoRounds;
  roundLists: RoundLists;
  /** See createReconciliation. */
  reconcile: (operatorId: string, gameround: string) => Promise<ReconcileResult>;
  wallet: Pick<OperatorWallet, 'getBalance'>;
  provider: Pick<ProviderClient, 'doGetGameHistory'>;
  rng: RandomNumbers;
  gameConfigurations: ConfigurationsOfGames;
  /** The `environment` of round records. */
  environment: string;
  /** A 401 says which part is wrong and which string was checked, and testPing what was seen. */
  signatureHints: boolean;
  health: Health;
  metrics: Metrics;
  logger: Logger;
  /** Milliseconds since the epoch. */
  clock: () => number;
  monotonicNow: MonotonicClock;
  limits?: Partial<HttpLimits> | undefined;
}

/** Limits per process. */
export interface HttpLimits {
  /** Calls handled at the same time; Admission shares them among the parties. */
  calls: number;
  /** All calls in flight, including unknown callers and unread bodies. */
  crowd: number;
  /** Request bodies being received; UnreadBodies decides which one to drop if there are more. */
  unreadBodies: number;
  /** Unknown tokens a minute from one address (player side). */
  unknownTokensPerAddress: number;
  /** Unknown tokens a minute from one provider. */
  unknownTokensPerProvider: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  calls: 256,
  crowd: 2_000,
  unreadBodies: 256,
  unknownTokensPerAddress: 120,
  unknownTokensPerProvider: 1_200,
};
