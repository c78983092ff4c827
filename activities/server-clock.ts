import { activityInfo } from '@temporalio/activity';

/**
 * The Temporal server's time, counted from the schedule time of this attempt: the clock of this machine may be wrong, and
 * those of workers may differ.
 */
export function serverClock(): () => Date {
  const { currentAttemptScheduledTimestampMs } = activityInfo();
  const begunAt = performance.now();
  return () => new Date(Math.round(currentAttemptScheduledTimestampMs + performance.now() - begunAt));
}
