import type { Violation } from '../checks/check';
import type { Notes } from '../players/notes';
import type { Stack } from '../stack';

/** The checks that faults make while they run. */
export type Promised = 'besieged' | 'decided';

/** The injector's functions for the faults in this folder. */
export interface Tools {
  stack: Stack;
  notes: Notes;
  seed: number;
  /** True when no more faults should be dealt. */
  isOver: () => boolean;
  log: (line: string) => void;
  /** Runs while no other fault is on: waits until all others have ended, and holds back the next ones. */
  alone: <T>(run: () => Promise<T>) => Promise<T>;
  /** Returns early when the time is over. */
  pause: (ms: number) => Promise<void>;
  /** Adds a switch to the sandbox's wallet or game. Returns its id. */
  addSwitch: (who: 'wallet' | 'game', how: object) => Promise<number>;
  hits: (who: 'wallet' | 'game', id: number) => Promise<number>;
  /** Removes a switch. Returns how many calls met it. */
  takeAway: (who: 'wallet' | 'game', id: number) => Promise<number>;
  /** Adds examined items and violations to a check. */
  saw: (promise: Promised, examined: number, violations: readonly Violation[]) => void;
}
