import type { ActivateInput, WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** Identifies a workflow task. Its start event has a time and the size of the history before it, so every task differs. */
interface Task {
  historyLength: number;
  historySize: string;
  startedAt: string;
}

/**
 * Fails a query, or the workflow task after it, if the query has brought events before their workflow task. The worker then
 * evicts the run and replays it.
 * Why: a query on a run that is not in the worker's memory loads the newest events, and the SDK (1.24) carries them out
 * without the updates of the same task. A replay carries out both together, in another order or at another time, so the run
 * could hang (test/workflows/cold-query.test.ts).
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let last: Task | undefined;
  return {
    internals: [
      {
        activate(input, next) {
          const task = taskOf(input);
          if (last !== undefined && isTornApart(input, last, task))
            throw new Error('a query has brought events before their workflow task; ask again');
          last = task;
          return next(input);
        },
      },
    ],
  };
};

function taskOf({ activation: { historyLength, historySizeBytes, timestamp } }: ActivateInput): Task {
  return {
    historyLength: historyLength ?? 0,
    historySize: String(historySizeBytes ?? 0),
    startedAt: `${String(timestamp?.seconds)}.${String(timestamp?.nanos)}`,
  };
}

/** Compares time and size, since the server's clock may be set back. A server that sends no sizes is not checked. */
function isTornApart({ activation }: ActivateInput, last: Task, task: Task): boolean {
  const { historySize, startedAt } = task;
  if (historySize === '0' || historySize !== last.historySize || startedAt !== last.startedAt) return false;
  const jobs = (activation.jobs ?? []).filter(({ queryWorkflow }) => !queryWorkflow);
  // In the same task, only the cancellation of an activity by the code itself may follow. A longer history alone does not tell
  // new events: a task whose update was refused leaves none, so the next events get its event ids.
  const hasNewEvents = task.historyLength > last.historyLength;
  return jobs.some(({ resolveActivity }) => hasNewEvents || !resolveActivity?.result?.cancelled);
}
