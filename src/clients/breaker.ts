import type { MonotonicClock } from '../domain/time';
/**
 * A circuit breaker per operator. It opens after a number of failures in a row. Then it lets one call at a time through as a
 * test, after a pause that doubles while the tests fail.
 */
export interface Breaker {
  /** For a call that may be withheld: undefined if it must not be sent now, else a function that takes its result. */
  admit(operatorId: string): NoteResult | undefined;
  /** Takes the result of a call that is never withheld. */
  note(operatorId: string, answered: boolean): void;
  isFailing(operatorId: string): boolean;
}

export type NoteResult = (answered: boolean) => void;

export interface BreakerOptions {
  /** Monotonic, since a system clock that is set back would keep the breaker open. */
  monotonicNow?: MonotonicClock | undefined;
  failuresInARow: number;
  firstPauseMs: number;
  maxPauseMs: number;
  onChange?: (operatorId: string, failing: boolean) => void;
}

interface Trouble {
  failures: number;
  /** Present while the wallet is failing. */
  failing?: { pauseMs: number; nextTryAt: number; trying: boolean };
}

export function createBreaker(options: BreakerOptions): Breaker {
  const {
    monotonicNow = () => performance.now(),
    failuresInARow,
    firstPauseMs,
    maxPauseMs,
    onChange,
  } = options;
  const troubles = new Map<string, Trouble>();

  function pauseFor(trouble: Trouble, pauseMs: number): void {
    trouble.failing = { pauseMs, nextTryAt: monotonicNow() + pauseMs, trying: false };
  }

  function note(operatorId: string, answered: boolean): void {
    const trouble = troubles.get(operatorId) ?? { failures: 0 };
    if (answered) {
      troubles.delete(operatorId);
      if (trouble.failing !== undefined) onChange?.(operatorId, false);
      return;
    }
    troubles.set(operatorId, trouble);
    trouble.failures += 1;
    // Calls that were in flight when the breaker opened may still fail. Only a failed test makes the pause longer.
    if (trouble.failing !== undefined || trouble.failures < failuresInARow) return;
    pauseFor(trouble, firstPauseMs);
    onChange?.(operatorId, true);
  }

  return {
    admit(operatorId) {
      const trouble = troubles.get(operatorId);
      const failing = trouble?.failing;
      if (trouble === undefined || failing === undefined) return (answered) => note(operatorId, answered);
      if (failing.trying || monotonicNow() < failing.nextTryAt) return undefined;
      failing.trying = true;
      return (answered) => {
        note(operatorId, answered);
        if (!answered) pauseFor(trouble, Math.min(2 * failing.pauseMs, maxPauseMs));
      };
    },
    note,
    isFailing: (operatorId) => troubles.get(operatorId)?.failing !== undefined,
  };
}
