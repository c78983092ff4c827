import type { GameSettings } from '../domain/game-settings';
import type { Session } from '../domain/session';
import type { WalletBalance } from '../domain/wallet-call';

/** The data of a session that a launch sets. `Session` is the part that commands see. */
export interface SessionSeed extends Omit<Session, 'sessionId' | 'expired'> {
  gameSettings: GameSettings;
}

/** A token and its session. Never store or log the token. */
export interface OpenSession {
  token: string;
  session: Session;
  gameSettings: GameSettings;
}

/** Free-form JSON. */
export type PlayerDetails = Record<string, unknown>;

export interface RegisteredPlayer {
  /** A UUID of the service. */
  internalPlayerId: string;
  isNew: boolean;
}

/**
 * Players, launches and sessions (docs/interface/sessions.md).
 * @throws RefusedError 401 TOKENNOTFOUND (unknown or deleted), 401 LAUNCHURLSPENT, 401 TOKENEXPIRED, 503 SERVICEUNAVAILABLE
 * (MongoDB is needed and down)
 */
export interface Sessions {
  /** Registers an unknown player. `details` are merged into the stored details. */
  register(operatorId: string, playerId: string, details?: PlayerDetails): Promise<RegisteredPlayer>;
  /** Returns a launch token, which can be used once within 60 s. */
  launch(seed: SessionSeed): Promise<string>;
  /** Uses up a launch token and starts a session with a new token. Of several concurrent calls exactly one succeeds. */
  connect(launchToken: string): Promise<OpenSession>;
  /** Undoes a connect that failed before its reply was sent, so that the player can try again within the 60 s. Best effort. */
  undoConnect(launchToken: string, opened: OpenSession): Promise<void>;
  /**
   * The session of a token. It is `expired` one hour after its last use or after a logout; then it can finish the rounds that
   * it opened for 7 more days. Counts as a use.
   * `fresh`: reads MongoDB even if the session is cached, so that a logout in another process takes effect at once.
   * `providerId`: the provider that signed the call. Its first call with a launch token makes this the token of the session.
   * A token of another provider gets TOKENNOTFOUND.
   */
  resolve(token: string, options?: { fresh?: boolean; providerId?: string }): Promise<OpenSession>;
  /** Extends the session by an hour. @throws TOKENEXPIRED */
  refresh(token: string): Promise<OpenSession>;
  /** Logs out; open rounds can still be finished. Has no effect if the session has already ended. */
  logout(token: string): Promise<void>;
  /** Starts a session with a new token, for getTokenForGameRound. */
  open(seed: SessionSeed): Promise<OpenSession>;
  /**
   * Stores the player's last known balance. It is written in the background, at most once a second per session.
   * @param isWhole whether absent discounts and tickets mean "none"; otherwise those known before stay
   */
  keepBalance(sessionId: string, balance: WalletBalance, isWhole: boolean): void;
  /** The game settings of the launch, for doAutoClose; undefined if the session is deleted. */
  gameSettings(sessionId: string): Promise<GameSettings | undefined>;
  /** Creates the indexes. Call it until it succeeds once. */
  prepare(): Promise<void>;
  /** Writes the remaining changes. */
  close(): Promise<void>;
}
