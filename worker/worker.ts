import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { TASK_QUEUE } from '../src/contracts/gameround';
import type { Activities } from '../activities';

export interface WorkerDependencies {
  connection: NativeConnection;
  namespace: string;
  activities: Activities;
  /** Built ahead of time in production; from source in development and tests. */
  workflows: { bundlePath: string } | { path: string } | { code: string };
  /** For tests that run several workers on one server. */
  taskQueue?: string;
}

/** Longer than the slowest wallet: a worker that is stopped finishes the call it is in. */
const SHUTDOWN_GRACE = '75s';

/**
 * How long a round waits for the worker that has it in memory before another one takes over. Below the command's time
 * (10 s), so that the caller of a round whose worker was killed still gets its answer.
 */
const STICKY_TIMEOUT = '3s';

/** The worker of the rounds: what tests use and what worker/main.ts runs. */
export async function createWorker(deps: WorkerDependencies): Promise<Worker> {
  return Worker.create({
    connection: deps.connection,
    namespace: deps.namespace,
    taskQueue: deps.taskQueue ?? TASK_QUEUE,
    activities: deps.activities,
    ...workflowSource(deps.workflows),
    shutdownGraceTime: SHUTDOWN_GRACE,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 100,
    maxConcurrentActivityTaskExecutions: 200,
    maxCachedWorkflows: 2_000,
  });
}

function workflowSource(
  source: WorkerDependencies['workflows'],
): Pick<WorkerOptions, 'workflowsPath' | 'workflowBundle'> {
  if ('path' in source) return { workflowsPath: source.path };
  return { workflowBundle: 'code' in source ? { code: source.code } : { codePath: source.bundlePath } };
}
