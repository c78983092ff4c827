import type { Violation } from '../checks/check';
import type { Notes } from '../players/notes';
import type { Stack } from '../stack';

/** The promises that faults look at while they last. */
export type Promised = 'besieged' | 'decided';

/** What the injector gives to a fault that has a file of its own in this folder. */
export interface Tools {
  stack: Stack;
  notes: Notes;
  seed: number;
  /** Time for chaos is over. */
  isOver: () => boolean;
  log: (line: string) => void;
  /** No other fault is on while this runs: it waits until all are over, and holds back the next ones. */
  alone: <T>(run: () => Promise<T>) => Promise<T>;
  /** Returns early when time is over. */
  pause: (ms: number) => Promise<void>;
  /** A switch of the sandbox's wallet or game; returns its id. */
  addSwitch: (who: 'wallet' | 'game', how: object) => Promise<number>;
  hits: (who: 'wallet' | 'game', id: number) => Promise<number>;
  /** Returns how often it was met. */
  takeAway: (who: 'wallet' | 'game', id: number) => Promise<number>;
  /** Counts what a fault itself looked at for a promise, and what it saw that breaks it. */
  saw: (promise: Promised, examined: number, violations: readonly Violation[]) => void;
}
