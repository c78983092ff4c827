import {
  Worker,
  type ActivityInboundCallsInterceptor,
  type InjectedSinks,
  type NativeConnection,
} from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import { TASK_QUEUE, type CallSinks } from '../src/contracts/gameround';
import type { Activities } from '../activities';

export interface WorkerDependencies {
  connection: NativeConnection;
  namespace: string;
  activities: Activities;
  /** The bundled workflows (worker/bundle.ts). */
  workflows: { bundlePath: string };
  /** How payloads are read and written; the bundle has to be of the same kind (worker/bundle.ts). */
  dataConverter?: DataConverter;
  /** Told when a call of this process is to be asked for. */
  askNow?: (call: string) => void;
  /** For tests that run several workers on one server. */
  taskQueue?: string;
  slots?: Partial<WorkerSlots>;
}

/** What one worker process does at a time. */
export interface WorkerSlots {
  workflowTasks: number;
  activities: number;
}

/**
 * Ordinary activities mostly wait for somebody else's answer. Each operator and provider has a share of them
 * (WALLET_GUARD, CALLS_PER_PROVIDER), so several that are dead leave most of them free.
 */
const SLOTS: WorkerSlots = { workflowTasks: 100, activities: 400 };

/** Longer than the slowest wallet: a worker that is stopped finishes the call it is in. */
const SHUTDOWN_GRACE = '75s';

/**
 * How long a round waits for the worker that has it in memory before another one takes over. Below the command's time
 * (10 s), so that the caller of a round whose worker was killed still gets its answer.
 */
const STICKY_TIMEOUT = '3s';

/**
 * How many rounds a worker keeps in memory, the last used ones; another one is replayed from its history when a command
 * comes. The SDK has no limit in bytes (docs/operations.md, "Memory of a worker").
 */
export const MAX_CACHED_ROUNDS = 2_000;

/**
 * How long the code of one task may take. By default that is 5 s by the clock on the wall; the SDK then ends the task, and
 * Node with it the whole process (nodejs/node#38503). A process that was frozen for a moment is no code without an end.
 */
const TASK_CODE_TIMEOUT = { isolateExecutionTimeout: '5m' };

/** The worker of the rounds: what tests use and what worker/main.ts runs. */
export async function createWorker(deps: WorkerDependencies): Promise<Worker> {
  const slots = { ...SLOTS, ...deps.slots };
  return Worker.create({
    connection: deps.connection,
    namespace: deps.namespace,
    taskQueue: deps.taskQueue ?? TASK_QUEUE,
    activities: deps.activities,
    interceptors: { activity: [() => ({ inbound: { execute: withSendableFailures } })] },
    dataConverter: deps.dataConverter,
    sinks: callSinks(deps.askNow),
    workflowBundle: { codePath: deps.workflows.bundlePath },
    shutdownGraceTime: SHUTDOWN_GRACE,
    // What a retried credit leaves for its next attempt has to be there when a worker dies.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    // The SDK knows it, its types don't (test/worker/worker.test.ts).
    ...TASK_CODE_TIMEOUT,
    maxConcurrentWorkflowTaskExecutions: slots.workflowTasks,
    maxConcurrentActivityTaskExecutions: slots.activities,
    maxCachedWorkflows: MAX_CACHED_ROUNDS,
  });
}

const MAX_CAUSES = 10;

/**
 * A failure whose text has half a character in it (a lone surrogate) can't be sent to the server, and the worker would
 * end over it: such text, whoever wrote it, is mended.
 */
const withSendableFailures: NonNullable<ActivityInboundCallsInterceptor['execute']> = async (input, next) => {
  try {
    return await next(input);
  } catch (error) {
    let at: unknown = error;
    for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth += 1) {
      at.message = at.message.toWellFormed();
      if (at.stack !== undefined) at.stack = at.stack.toWellFormed();
      at = at.cause;
    }
    throw error;
  }
};

function callSinks(askNow: (call: string) => void = () => undefined): InjectedSinks<CallSinks> {
  return { calls: { askNow: { fn: (_info, call) => askNow(call), callDuringReplay: false } } };
}
