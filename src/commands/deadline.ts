import {
  isGrpcServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { UnreadablePayloadError } from '../contracts/payloads';
import { refuse, refuseBecause } from '../domain/errors';

/** The command's time: how long a caller waits, not how long the workflow may take. */
const COMMAND_TIMEOUT_MS = 10_000;
/**
 * How long the server waits for a worker that has taken a workflow's task. One that it handed to a worker in that one's last
 * moment is lost until then (10 s by default): below the command's time, so that the caller still gets its answer.
 */
export const TASK_TIMEOUT = '6s';

/** The client counts by the machine's clock, which may be set back meanwhile: then this ends the wait. */
const CLOCK_SET_MS = 500;

/** Until when a command that comes now has its answer; by `performance.now()`, which nobody sets. */
export function commandDeadline(): number {
  return performance.now() + COMMAND_TIMEOUT_MS;
}

export function msLeft(deadline: number): number {
  return deadline - performance.now();
}

/** A call to Temporal with the command's time; its errors become the interface's. */
export async function withinCommandTime<T>(
  client: Client,
  run: () => Promise<T>,
  deadline = commandDeadline(),
): Promise<T> {
  for (;;) {
    try {
      return await withTimeLeft(client, run, Math.max(msLeft(deadline), 1));
    } catch (error) {
      if (!isPassing(error) || msLeft(deadline) < PASSING_RETRY_MS) throw asRefusal(error);
      await new Promise((resolve) => setTimeout(resolve, PASSING_RETRY_MS));
    }
  }
}

async function withTimeLeft<T>(client: Client, run: () => Promise<T>, leftMs: number): Promise<T> {
  const clockWasSet = new AbortController();
  const timer = setTimeout(() => clockWasSet.abort(), leftMs + CLOCK_SET_MS);
  try {
    return await client.withAbortSignal(clockWasSet.signal, () =>
      client.withDeadline(Date.now() + leftMs, run),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** The round's task was repeated under the call: every command is idempotent by its key, so it is sent again. */
function isPassing(error: unknown): boolean {
  const grpc = grpcCodeOf(error);
  return grpc === FAILED_PRECONDITION || grpc === ABORTED;
}

const PASSING_RETRY_MS = 100;
const FAILED_PRECONDITION = 9;
const ABORTED = 10;
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;

function asRefusal(error: unknown): unknown {
  // The command may well be carried out: the same call again joins it, where the key is known.
  if (error instanceof UnreadablePayloadError) {
    return refuseBecause(error, 'SERVICEUNAVAILABLE');
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return refuse('OPERATIONBEINGPROCESSED');
  const grpc = grpcCodeOf(error);
  if (grpc === undefined) return error;
  const waits = [DEADLINE_EXCEEDED, CANCELLED, RESOURCE_EXHAUSTED].includes(grpc);
  return refuse(waits ? 'OPERATIONBEINGPROCESSED' : 'SERVICEUNAVAILABLE');
}

/** The client wraps the transport's error in one of its own. */
function grpcCodeOf(error: unknown): number | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if (isGrpcServiceError(at)) return at.code;
  }
  return undefined;
}
