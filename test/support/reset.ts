import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import type { RoundsHarness } from './rounds-harness';

const { RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL: SIGNAL, RESET_REAPPLY_EXCLUDE_TYPE_UPDATE: UPDATE } =
  temporal.api.enums.v1.ResetReapplyExcludeType;

/** Resets a round as a person does, to the task in which its first or its newest wallet call was decided. */
export async function resetRound(
  harness: RoundsHarness,
  gameround: string,
  to: 'first' | 'newest' = 'newest',
  /** Whether the new run gets the later commands again. */
  withCommands = true,
): Promise<void> {
  const handle = harness.handle(gameround);
  const { runId } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const scheduled = (events ?? [])
    .flatMap(({ activityTaskScheduledEventAttributes: attributes }) => attributes ?? [])
    .filter(({ activityType }) => activityType?.name === 'deliver')
    .at(to === 'first' ? 0 : -1);
  await harness.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: handle.workflowId, runId },
    workflowTaskFinishEventId: scheduled?.workflowTaskCompletedEventId ?? null,
    ...{ requestId: randomUUID(), reason: 'test' },
    resetReapplyExcludeTypes: withCommands ? [] : [SIGNAL, UPDATE],
  });
}
