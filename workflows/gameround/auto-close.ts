import { condition, log, proxyActivities, sleep } from '@temporalio/workflow';
import type { GameroundActivities } from '../../src/contracts/activities';
import { setMark } from '../../src/domain/round/marks';
import { parseTimestamp } from '../../src/domain/time';
import { AUTO_CLOSE, AUTO_CLOSE_FIRST_RETRY_MS, AUTO_CLOSE_MAX_RETRY_MS } from '../policies';
import { isActive, type Round } from './round';
import { durationText } from './texts';

const { autoClose } = proxyActivities<Pick<GameroundActivities, 'autoClose'>>(AUTO_CLOSE);

export interface AutoClose {
  /** The time and number of the next attempt, for the next run. */
  plan(): AutoClosePlan;
  /** Whether a doAutoClose call is in progress. */
  isAsking(): boolean;
  /** Starts the timer once, if the round is still open. A spin that ends at once needs no timer. */
  watch(): void;
}

export interface AutoClosePlan {
  /** Milliseconds since the epoch. */
  closeAt: number;
  attempts: number;
}

/**
 * Closes a forgotten round (docs/interface#auto-close). It waits for `autoCloseAfter`, then asks the provider until the round
 * is over. A 200 counts as a failure if the round is still open. After twice that time the round is marked for a person.
 */
export function createAutoClose(round: Round, begun: AutoClosePlan, onMarked: () => void): AutoClose {
  let { closeAt, attempts } = begun;
  let asking = false;
  let watched = false;
  const isOver = (): boolean => !isActive(round);

  async function closeWhenForgotten(): Promise<void> {
    const overdueAt = parseTimestamp(round.state.openedAt)! + 2 * round.state.settings.autoCloseAfterMs;
    // A sleep and not a condition: most rounds end long before, and cancelling a timer costs one more event.
    const forgotten = `auto-close after ${durationText(round.state.settings.autoCloseAfterMs)}`;
    await sleep(Math.max(closeAt - Date.now(), 1), { summary: forgotten });
    while (!isOver()) {
      await ask();
      if (isOver()) return;
      let waitMs = Math.min(AUTO_CLOSE_FIRST_RETRY_MS * 2 ** (attempts - 1), AUTO_CLOSE_MAX_RETRY_MS);
      closeAt = Date.now() + waitMs;
      const untilOverdueMs = Math.max(overdueAt - Date.now(), 0);
      const pause = { summary: `pause before ${askText(attempts + 1)}` };
      if (untilOverdueMs <= waitMs && !round.state.keptMarks.includes('auto-close-failing')) {
        if (untilOverdueMs > 0 && (await condition(isOver, untilOverdueMs, pause))) return;
        round.state = setMark(round.state, 'auto-close-failing', true);
        onMarked();
        waitMs -= untilOverdueMs;
      }
      if (waitMs > 0 && (await condition(isOver, waitMs, pause))) return;
    }
  }

  const askText = (attempt: number): string =>
    `ask ${round.state.identity.providerId} to close the round, attempt ${attempt}`;

  async function ask(): Promise<void> {
    attempts = Math.min(attempts + 1, 60);
    asking = true;
    try {
      await autoClose.executeWithOptions({ summary: askText(attempts) }, [round.state.identity]);
    } catch (error) {
      log.warn('the provider did not close the round', { attempt: attempts, reason: String(error) });
    } finally {
      asking = false;
    }
  }

  return {
    plan: () => ({ closeAt, attempts }),
    isAsking: () => asking,
    watch() {
      if (watched || isOver()) return;
      watched = true;
      void closeWhenForgotten();
    },
  };
}
