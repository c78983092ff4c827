import type { RoundState } from '../domain/round/types';

/** All that a demo session plays with: pretend money, its open round and the last ones that are over. Plain JSON. */
export interface DemoGame {
  /** Minor units. */
  balance: number;
  currency: string;
  /** Oldest first; at most one of them is open. */
  rounds: DemoRound[];
}

export interface DemoRound {
  /** How a round of real money with the same name would be called: what others who know only the name look for. */
  alias: string;
  state: RoundState;
}

/**
 * Where demo games are kept while their sessions last. A game is written only over the version it was made from, so
 * that of two changes at once one has to be made again.
 */
export interface DemoStore {
  /** Counts as a use of the session. Undefined when there is no game yet, or not any more. */
  load(sessionId: string): Promise<{ version: number; game: DemoGame } | undefined>;
  /** @param version the one that was loaded, 0 when there was none. False: another one is there; nothing was written. */
  save(sessionId: string, game: DemoGame, version: number): Promise<boolean>;
  /** The newest game in use with a round of that hash or alias. */
  findByRound(name: string): Promise<DemoGame | undefined>;
  /** Creates the indexes; to be called until it succeeds once. */
  prepare(): Promise<void>;
}
