import {
  Worker,
  type ActivityInboundCallsInterceptor,
  type InjectedSinks,
  type NativeConnection,
} from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import { TASK_QUEUE, type CallSinks } from '../src/contracts/gameround';
import { ownIdentity } from '../src/temporal-identity';
import type { Activities } from '../activities';

export interface WorkerDependencies {
  connection: NativeConnection;
  namespace: string;
  activities: Activities;
  /** The bundled workflows (worker/bundle.ts). */
  workflows: { bundlePath: string };
  /** Reads and writes payloads. The bundle must be of the same kind (worker/bundle.ts). */
  dataConverter?: DataConverter;
  /** Called when a call of this process has to fetch its answer by the update. */
  askNow?: ((call: string) => void) | undefined;
  /** For tests that run several workers on one server. */
  taskQueue?: string;
  slots?: Partial<WorkerSlots> | undefined;
}

/** The most tasks that one worker process runs at the same time. */
export interface WorkerSlots {
  workflowTasks: number;
  activities: number;
}

/**
 * Activities mostly wait for replies of partners. Each operator and provider may use a share of the slots only
 * (WALLET_GUARD, CALLS_PER_PROVIDER), so several dead partners leave most slots free.
 */
const SLOTS: WorkerSlots = { workflowTasks: 100, activities: 400 };

/** Longer than the slowest wallet call, so that a worker that stops can finish it. */
const SHUTDOWN_GRACE = '75s';

/**
 * How long a round waits for the worker that has it in memory before another worker takes over. It is below the time of a
 * command (10 s), so that a caller still gets its answer after the worker was killed.
 */
const STICKY_TIMEOUT = '3s';

/**
 * How many recently used rounds a worker keeps in memory. Other rounds are replayed from their history when a command
 * arrives. The SDK has no limit in bytes (docs/operations.md, "Memory of a worker").
 */
export const MAX_CACHED_ROUNDS = 2_000;

/**
 * A worker without the SDK's limit on the time of workflow code (5 s of wall-clock time). At that limit Node ends the whole
 * process (nodejs/node#38503), also if it was only frozen for some seconds. And for a limit, Node starts and ends a thread at
 * each of the many calls into workflow code, which costs more than the code itself (docs/performance.md).
 */
class WorkerWithoutCodeTimeout extends Worker {
  protected static override createWorkflowCreator(
    ...[bundle, options, logger]: Parameters<typeof Worker.createWorkflowCreator>
  ): ReturnType<typeof Worker.createWorkflowCreator> {
    const { isolateExecutionTimeoutMs: _limit, ...rest } = options;
    // The type demands a limit; the code takes none for none (test/worker/worker.test.ts).
    return super.createWorkflowCreator(bundle, rest as typeof options, logger);
  }
}

/** Creates the worker of the rounds, for worker/main.ts and for tests. */
export async function createWorker(deps: WorkerDependencies): Promise<Worker> {
  const slots = { ...SLOTS, ...deps.slots };
  return WorkerWithoutCodeTimeout.create({
    connection: deps.connection,
    namespace: deps.namespace,
    identity: ownIdentity(),
    taskQueue: deps.taskQueue ?? TASK_QUEUE,
    activities: deps.activities,
    interceptors: { activity: [() => ({ inbound: { execute: withSendableFailures } })] },
    dataConverter: deps.dataConverter ?? {},
    sinks: callSinks(deps.askNow),
    workflowBundle: { codePath: deps.workflows.bundlePath },
    shutdownGraceTime: SHUTDOWN_GRACE,
    // Heartbeats carry the results of a retried credit to its next attempt, so they must be sent before a worker dies.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    maxConcurrentWorkflowTaskExecutions: slots.workflowTasks,
    maxConcurrentActivityTaskExecutions: slots.activities,
    maxCachedWorkflows: MAX_CACHED_ROUNDS,
  });
}

const MAX_CAUSES = 10;

/**
 * Repairs failure texts that contain a lone surrogate (half a character). Such a failure can't be sent to the server, and
 * the worker would end. The text may come from a partner.
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
