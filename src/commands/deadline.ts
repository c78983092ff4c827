import {
  isGrpcServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { UnreadablePayloadError } from '../contracts/payloads';
import { refuse, refuseBecause } from '../domain/errors';

/** The command's time: how long a caller waits, not how long the workflow may take. */
export const COMMAND_TIMEOUT_MS = 10_000;

/** A call to Temporal with the command's time; its errors become the interface's. */
export async function withinCommandTime<T>(
  client: Client,
  run: () => Promise<T>,
  deadline = Date.now() + COMMAND_TIMEOUT_MS,
): Promise<T> {
  for (;;) {
    try {
      return await client.withDeadline(deadline, run);
    } catch (error) {
      if (!isPassing(error) || Date.now() + PASSING_RETRY_MS > deadline) throw asRefusal(error);
      await new Promise((resolve) => setTimeout(resolve, PASSING_RETRY_MS));
    }
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
  const waits = grpc === DEADLINE_EXCEEDED || grpc === RESOURCE_EXHAUSTED;
  return refuse(waits ? 'OPERATIONBEINGPROCESSED' : 'SERVICEUNAVAILABLE');
}

/** The client wraps the transport's error in one of its own. */
function grpcCodeOf(error: unknown): number | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if (isGrpcServiceError(at)) return at.code;
  }
  return undefined;
}
