import type { ActivateInput, WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** What every workflow task changes: its start is an event with a time, and with the size of the history before it. */
interface Task {
  historyLength: number;
  historySize: string;
  startedAt: string;
}

/**
 * Fails a query, or a workflow task after a query, where the query has brought events before their workflow task. The
 * worker then forgets the run and reads it anew. A query that waits for a worker brings the newest events to one that hasn't
 * the run in memory, and the SDK (1.24) carries them out without the updates of the same task. A replay carries out both
 * together, in another order or at another time, so the run could hang (test/workflows/cold-query.test.ts).
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

/** Time and size together: a server's clock may be set back, and a server without sizes is left alone. */
function isTornApart({ activation }: ActivateInput, last: Task, task: Task): boolean {
  const { historySize, startedAt } = task;
  if (historySize === '0' || historySize !== last.historySize || startedAt !== last.startedAt) return false;
  const jobs = (activation.jobs ?? []).filter(({ queryWorkflow }) => !queryWorkflow);
  // A call that the code itself cancels is the only job that may follow in the same task.
  const hasNewEvents = task.historyLength > last.historyLength;
  return jobs.some(({ signalWorkflow, doUpdate }) => hasNewEvents || signalWorkflow || doUpdate);
}
