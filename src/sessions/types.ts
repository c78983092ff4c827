import type { GameSettings } from '../domain/game-settings';
import type { Session } from '../domain/session';
import type { WalletBalance } from '../domain/wallet-call';

/** Everything a launch fixes about a session; see `Session` for what commands get to see of it. */
export interface SessionSeed extends Omit<Session, 'sessionId' | 'expired'> {
  gameSettings: GameSettings;
}

/** A token and what it stands for. The token is known to its holder only: never store or log it. */
export interface OpenSession {
  token: string;
  session: Session;
  gameSettings: GameSettings;
}

/** Free-form, as JSON has it. */
export type PlayerDetails = Record<string, unknown>;

export interface RegisteredPlayer {
  /** UUID, ours. */
  internalPlayerId: string;
  isNew: boolean;
}

/**
 * Players, launches and sessions (docs/interface/sessions.md). Refusals are thrown as `RefusedError`: TOKENNOTFOUND (401: never was,
 * or is forgotten), LAUNCHURLSPENT (401), TOKENEXPIRED (401), SERVICEUNAVAILABLE (503: MongoDB is needed and down).
 */
export interface Sessions {
  /** Registers an unknown player; `details` are added to what is known of the player. */
  register(operatorId: string, playerId: string, details?: PlayerDetails): Promise<RegisteredPlayer>;
  /** A launch token: one use, within 60 s. */
  launch(seed: SessionSeed): Promise<string>;
  /** Spends a launch token for a session with a token of its own. Of many at once exactly one succeeds. */
  connect(launchToken: string): Promise<OpenSession>;
  /** Takes a connect back whose reply never left, so that the player may try again within the 60 s. Best effort. */
  undoConnect(launchToken: string, opened: OpenSession): Promise<void>;
  /**
   * The session of a token, `expired` when its hour is over or it was logged out, in which case it is good for 7 more
   * days for what it opened. Counts as a use.
   * `fresh`: asks MongoDB even when the session is cached, so that a logout in another process is seen at once.
   * `providerId`: whose signed call it is. A launch token of theirs becomes the session's own by the first such call;
   * another provider's token is TOKENNOTFOUND.
   */
  resolve(token: string, options?: { fresh?: boolean; providerId?: string }): Promise<OpenSession>;
  /** Renews the hour. @throws TOKENEXPIRED */
  refresh(token: string): Promise<OpenSession>;
  /** Ends the session for everything new; harmless when it has ended. */
  logout(token: string): Promise<void>;
  /** A session with a fresh token, as getTokenForGameRound gives out. */
  open(seed: SessionSeed): Promise<OpenSession>;
  /**
   * Remembers the player's last known balance; written behind, at most once a second per session.
   * @param isWhole discounts and tickets that it doesn't tell are none; otherwise they are those that were known
   */
  keepBalance(sessionId: string, balance: WalletBalance, isWhole: boolean): void;
  /** The settings a session was launched with, for doAutoClose; undefined when it is forgotten. */
  gameSettings(sessionId: string): Promise<GameSettings | undefined>;
  /** Creates the indexes; to be called until it succeeds once. */
  prepare(): Promise<void>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}
