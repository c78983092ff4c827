import type { RoundState } from '../domain/round/types';

/** The game of a demo session: pretend money, its open round and its last finished rounds. Plain JSON. */
export interface DemoGame {
  /** Minor units. */
  balance: number;
  currency: string;
  /** Oldest first. At most one is open. */
  rounds: DemoRound[];
}

export interface DemoRound {
  /** The hash of a real round with the same name. Callers that only know the name look for this hash. */
  alias: string;
  state: RoundState;
}

/**
 * Stores demo games as long as their sessions. A game is saved only over the version that it was made from, so that of two
 * concurrent changes one has to be repeated.
 */
export interface DemoStore {
  /** Counts as a use of the session. Undefined if there is no game yet or not any more. */
  load(sessionId: string): Promise<{ version: number; game: DemoGame } | undefined>;
  /** @param version the loaded version, or 0. Returns false if another version is stored; then nothing was written. */
  save(sessionId: string, game: DemoGame, version: number): Promise<boolean>;
  /** The newest game in use that has a round with this hash or alias. */
  findByRound(name: string): Promise<DemoGame | undefined>;
  /** Creates the indexes. Call it until it succeeds once. */
  prepare(): Promise<void>;
}
