import type { MonotonicClock } from '../domain/time';
/**
 * Knows which operators' wallets are failing. It opens after a number of failures in a row without any answer between
 * them, and then lets one call at a time try again, after a pause that doubles as long as the tries fail.
 */
export interface Breaker {
  /** For a call that may be withheld: undefined when it is not to be sent now, else where its result is noted. */
  admit(operatorId: string): NoteResult | undefined;
  /** The result of a call that is sent whatever is known of the wallet. */
  note(operatorId: string, answered: boolean): void;
  isFailing(operatorId: string): boolean;
}

export type NoteResult = (answered: boolean) => void;

export interface BreakerOptions {
  /** A clock that is set back would keep a wallet waiting. */
  monotonicNow?: MonotonicClock;
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
    // Calls that were on their way when it opened go on failing: only a failed try makes the pause longer.
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
