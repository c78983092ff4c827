import type { Client } from '@temporalio/client';
import type { ServerTimes } from '../contracts/temporal-server';

const PAGE = 64;

export function createServerTimes(client: Client): ServerTimes {
  const { workflowService: service } = client;
  const { namespace } = client.options;
  return {
    async startedAt(execution, activityId) {
      const { pendingActivities } = await service.describeWorkflowExecution({ namespace, execution });
      const pending = (pendingActivities ?? []).find((activity) => activity.activityId === activityId);
      const startedAt = msOf(pending?.lastStartedTime);
      if (startedAt === undefined) throw new Error('the attempt is not known to the server');
      return startedAt;
    },
    async signalledAt(execution, name, taskStartedEventId) {
      let oldest: number | undefined;
      let nextPageToken: Uint8Array | undefined;
      do {
        const page = await service.getWorkflowExecutionHistoryReverse({
          ...{ namespace, execution, maximumPageSize: PAGE, nextPageToken: nextPageToken ?? null },
        });
        for (const event of page.history?.events ?? []) {
          if (Number(event.eventId) > taskStartedEventId) continue;
          // Older signals belong to an earlier task.
          if (event.workflowTaskCompletedEventAttributes) return oldest;
          if (event.workflowExecutionSignaledEventAttributes?.signalName === name)
            oldest = msOf(event.eventTime);
        }
        nextPageToken = page.nextPageToken ?? undefined;
      } while (nextPageToken !== undefined && nextPageToken.length > 0);
      return oldest;
    },
  };
}

function msOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number | undefined {
  return time ? Number(time.seconds) * 1_000 + Math.floor((time.nanos ?? 0) / 1e6) : undefined;
}
