import { isGrpcServiceError, ScheduleAlreadyRunning, type Client } from '@temporalio/client';
import { EXPORT_ID, EXPORT_WORKFLOW } from '../src/contracts/export';
import { TASK_QUEUE } from '../src/contracts/gameround';
import type { Logger } from '../src/logging';

/** Makes the schedule that exports the histories. One that is there stays as it is: a person may have changed it. */
export async function ensureExportSchedule(
  client: Client,
  logger: Logger,
  taskQueue = TASK_QUEUE,
  scheduleId = EXPORT_ID,
): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: '1h' }] },
      // Two runs at the same time would export the same histories.
      policies: { overlap: 'SKIP', catchupWindow: '1h' },
      action: {
        type: 'startWorkflow',
        ...{ workflowType: EXPORT_WORKFLOW, workflowId: EXPORT_ID, taskQueue, args: [] },
        staticSummary: 'export the histories of rounds that have ended, before they are deleted',
      },
    });
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return;
    if (!isGrpcServiceError(error)) throw error;
    // A server may have no schedules, or not allow this process to make one.
    logger.warn(
      { err: error },
      'the schedule that exports histories could not be made: run `npm run export` instead',
    );
  }
}
