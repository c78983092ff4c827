import { hostname } from 'node:os';
import { Connection } from '@temporalio/client';
import { loadConfig } from '../src/config';
import { TASK_QUEUE } from '../src/contracts/gameround';

const POLLED_WITHIN_MS = 70_000;
const TIMEOUT_MS = 5_000;
const WORKFLOW_TASKS = 1; // temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW

/** A container's health check: exit code 0 when Temporal has seen a worker of this host poll lately. */
async function main(): Promise<void> {
  const { address, namespace, apiKey, tls } = loadConfig().temporal;
  const connection = await Connection.connect({
    address,
    connectTimeout: TIMEOUT_MS,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls }),
  });
  const { pollers } = await connection.withDeadline(Date.now() + TIMEOUT_MS, () =>
    connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: TASK_QUEUE },
      taskQueueType: WORKFLOW_TASKS,
    }),
  );
  // The SDK names a worker <process id>@<host name>.
  const own = (pollers ?? []).filter(({ identity }) => identity?.endsWith(`@${hostname()}`));
  const lastMs = Math.max(0, ...own.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000));
  if (Date.now() - lastMs > POLLED_WITHIN_MS)
    throw new Error(`no worker of ${hostname()} polls ${TASK_QUEUE}`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
