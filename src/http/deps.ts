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

/** Questions about rounds that go to the read model. */
export interface RoundQueries {
  /**
   * The open round of the session's operator, player, game and mode, crashed ones not included; undefined when there
   * is none. Rejects with RefusedError SERVICEUNAVAILABLE when MongoDB can't be asked.
   */
  findOpenRound(session: Session): Promise<RoundSnapshot | undefined>;
}

/** Lists of real-money rounds from the read model. Each rejects when MongoDB can't be asked. */
export interface RoundLists {
  openRoundsOfPlayer(session: Session, maxRecords: number): Promise<ListedRound[]>;
  openRoundsByGame(providerId: string, gameCode: string, maxRecords: number): Promise<ListedRound[]>;
  closedRounds(session: Session, since: Date, maxRecords: number): Promise<ListedRound[]>;
}

/** A draw of the service's certified RNG, logged for audit before its values leave (docs/interface#random-audit). */
export interface RandomNumbers {
  /** @throws RefusedError INVALIDREQUEST; SERVICEUNAVAILABLE when the draw can't be logged */
  getRandomResult(call: {
    session: Session;
    requestId: string;
    rngEndPoint: unknown;
    rngPayload: unknown;
  }): Promise<{ values: number[]; rngRequestId: string }>;
}

/** Games' configurations as their providers tell them, checked and kept for a while. */
export interface ConfigurationsOfGames {
  /** @throws RefusedError INVALIDREQUEST (a currency that the operator does not have); GAMEPROVIDERUNAVAILABLE */
  get(
    operator: OperatorSettings,
    game: GameDefinition,
    currency: string,
  ): Promise<{ config: object; gameCode: string }>;
}

export interface RoundCommands extends RoundService {
  /** @param session whose round is meant, where that is known: demo rounds are kept with their sessions */
  describeRound(gameround: string, session?: Session): Promise<RoundSnapshot | undefined>;
}

/** Rounds as the routes see them: the durable ones, or the pretend ones of a demo session. */
export interface Rounds {
  commands: RoundCommands;
  queries: RoundQueries;
}

export interface DemoRounds extends Rounds {
  /** The pretend balance as it is now. */
  balance(session: Session): Promise<WalletBalance>;
}

export interface HttpDeps {
  /** Without a trailing slash. */
  baseUrl: string;
  /** How many proxies in front may be believed about a caller's address. */
  trustedProxies: number;
  tenants: Tenants;
  sessions: Sessions;
  rounds: Rounds;
  /** Without it demo sessions get MODENOTALLOWED for every round call. */
  demoRounds?: DemoRounds;
  roundLists: RoundLists;
  /** See createReconciliation. */
  reconcile: (operatorId: string, gameround: string) => Promise<ReconcileResult>;
  wallet: Pick<OperatorWallet, 'getBalance'>;
  provider: Pick<ProviderClient, 'doGetGameHistory'>;
  rng: RandomNumbers;
  gameConfigurations: ConfigurationsOfGames;
  /** Stands in round records. */
  environment: string;
  health: Health;
  metrics: Metrics;
  logger: Logger;
  /** Milliseconds since the epoch. */
  clock: () => number;
  monotonicNow: MonotonicClock;
  limits?: Partial<HttpLimits>;
}

/** Everything is bounded; these are per process. */
export interface HttpLimits {
  /** Calls being answered at a time; see Admission for how they are shared. */
  calls: number;
  /** Calls here in any state, unknown callers and unread bodies included. */
  crowd: number;
  /** Bodies that are on their way; see UnreadBodies for who has to go where it is used up. */
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
