import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';

/** Whether an activity has failed with this type of failure. */
export function failedAs(error: unknown, type: string): boolean {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure && cause.type === type;
}

/**
 * Whether no worker has begun the activity in time. If an attempt was made before, its failure is the cause; the SDK keeps it in
 * the failure as the server sent it only.
 */
export function hasNeverBegun(error: unknown): boolean {
  const timeout = causeOf(error);
  return (
    timeout instanceof TimeoutFailure &&
    timeout.timeoutType === 'SCHEDULE_TO_START' &&
    timeout.failure !== undefined &&
    !timeout.failure.cause
  );
}

/** What the last attempt has told the server (Attempts), if the activity has timed out. */
export function announcedIn(error: unknown): unknown {
  const timeout = causeOf(error);
  return timeout instanceof TimeoutFailure ? (timeout.lastHeartbeatDetails ?? undefined) : undefined;
}

function causeOf(error: unknown): Error | undefined {
  return error instanceof ActivityFailure ? error.cause : undefined;
}
