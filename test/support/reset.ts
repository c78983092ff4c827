import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import type { RoundsHarness } from './rounds-harness';

const { RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL: SIGNAL, RESET_REAPPLY_EXCLUDE_TYPE_UPDATE: UPDATE } =
  temporal.api.enums.v1.ResetReapplyExcludeType;

interface ResetOptions {
  /** Whether the new run gets the later commands again. Default: true. */
  withCommands?: boolean;
  /** Default: the newest run. */
  runId?: string;
}

/**
 * Resets a round as a person does: to the task in which its first or its newest wallet call was decided, to the task before
 * the newest one, or to the last task.
 * Returns the id of the new run.
 */
export async function resetRound(
  harness: RoundsHarness,
  gameround: string,
  to: 'first' | 'newest' | 'before newest' | 'end' = 'newest',
  { withCommands = true, runId }: ResetOptions = {},
): Promise<string> {
  const { workflowId } = harness.handle(gameround);
  const handle = harness.client.workflow.getHandle(workflowId, runId);
  const { events } = await handle.fetchHistory();
  const deliveries = (events ?? [])
    .flatMap(({ activityTaskScheduledEventAttributes: attributes }) => attributes ?? [])
    .filter(({ activityType }) => activityType?.name === 'deliver')
    .map(({ workflowTaskCompletedEventId }) => workflowTaskCompletedEventId);
  const tasks = (events ?? [])
    .filter((event) => event.workflowTaskCompletedEventAttributes)
    .map(({ eventId }) => eventId);
  const newest = deliveries.at(-1);
  const before = tasks.findLast((eventId) => Number(eventId) < Number(newest));
  const eventIds = { first: deliveries[0], newest, 'before newest': before, end: tasks.at(-1) };
  const made = await harness.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId: runId ?? (await handle.describe()).runId },
    workflowTaskFinishEventId: eventIds[to] ?? null,
    ...{ requestId: randomUUID(), reason: 'test' },
    resetReapplyExcludeTypes: withCommands ? [] : [SIGNAL, UPDATE],
  });
  return made.runId;
}
