import { condition, log, proxyActivities } from '@temporalio/workflow';
import type { GameroundActivities } from '../../src/contracts/activities';
import { mark } from '../../src/domain/round/attention';
import { AUTO_CLOSE, AUTO_CLOSE_FIRST_RETRY_MS, AUTO_CLOSE_MAX_RETRY_MS } from '../policies';
import { isActive, type Round } from './round';

const { autoClose } = proxyActivities<Pick<GameroundActivities, 'autoClose'>>(AUTO_CLOSE);

export interface AutoClose {
  /** Milliseconds since the epoch. */
  closeAt: number;
  attempts: number;
  /** The provider is being asked right now. */
  asking: boolean;
}

/**
 * Closes a forgotten round (spec doAutoClose): waits for the operator's allowed time, then asks the provider, again
 * and again, until the round is over. A 200 with the round still open counts as a failure. Past twice its time the
 * round is marked for a person.
 */
export async function closeWhenForgotten(round: Round, plan: AutoClose, onMarked: () => void): Promise<void> {
  const isOver = (): boolean => !isActive(round);
  const overdueAt = Date.parse(round.state.openedAt) + 2 * round.state.policy.autoCloseAfterMs;
  if (await condition(isOver, Math.max(plan.closeAt - Date.now(), 1))) return;
  while (!isOver()) {
    await ask(round, plan);
    if (isOver()) return;
    let waitMs = Math.min(AUTO_CLOSE_FIRST_RETRY_MS * 2 ** (plan.attempts - 1), AUTO_CLOSE_MAX_RETRY_MS);
    plan.closeAt = Date.now() + waitMs;
    const untilOverdueMs = Math.max(overdueAt - Date.now(), 0);
    if (untilOverdueMs <= waitMs && !round.state.marks.includes('auto-close-failing')) {
      if (untilOverdueMs > 0 && (await condition(isOver, untilOverdueMs))) return;
      round.state = mark(round.state, 'auto-close-failing', true);
      onMarked();
      waitMs -= untilOverdueMs;
    }
    if (waitMs > 0 && (await condition(isOver, waitMs))) return;
  }
}

async function ask(round: Round, plan: AutoClose): Promise<void> {
  plan.attempts = Math.min(plan.attempts + 1, 60);
  plan.asking = true;
  try {
    await autoClose(round.state.identity);
  } catch (error) {
    log.warn('the provider did not close the round', { attempt: plan.attempts, reason: String(error) });
  } finally {
    plan.asking = false;
  }
}
