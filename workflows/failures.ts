import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** Whether an activity has failed with this type of failure. */
export function failedAs(error: unknown, type: string): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === type;
}
