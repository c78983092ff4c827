import {
  isGrpcServiceError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError } from '@temporalio/common';
import { UnreadablePayloadError } from '../contracts/payloads';
import { refuse, refuseBecause } from '../domain/errors';

/**
 * How long a caller waits for its command; the workflow may take longer. Every call gets an answer within ten seconds: the
 * rest is for the work before and after the command.
 */
const COMMAND_TIMEOUT_MS = 9_500;
/** After this time the caller gets its answer, also if a slow database delays its command. The session may have taken 250 ms. */
const CALL_TIMEOUT_MS = 9_600;
/**
 * How long the server waits for a worker that has taken a workflow task. A task that a dying worker took is lost for this
 * time (10 s by default). It is below the command's time, so that the caller still gets its answer.
 */
export const TASK_TIMEOUT = '6s';

/** Ends the wait this long after the deadline, if the machine's clock was set back: the client counts by that clock. */
const CLOCK_SET_MS = 500;

/** The deadline of a command that arrives now, by `performance.now()`, which no clock change affects. */
export function commandDeadline(): number {
  return performance.now() + COMMAND_TIMEOUT_MS;
}

export function msLeft(deadline: number): number {
  return deadline - performance.now();
}

/** The deadline has passed before Temporal responded, or before the call was sent. */
export class OutOfTimeError extends Error {}

export interface Waiting {
  deadline?: number | undefined;
  /** Temporal has accepted the command before, so its outcome is open if the answer is missing: 503 3001. */
  isTaken?: boolean;
}

/** Runs calls to Temporal until the deadline, and turns their errors into errors of the interface. */
export async function withinCommandTime<T>(
  client: Client,
  run: () => Promise<T>,
  { deadline = commandDeadline(), isTaken = false }: Waiting = {},
): Promise<T> {
  const looking = lookWhenLate(client, deadline);
  try {
    const result = await inTime(() => noted(client, repeatedly(client, run, deadline)), deadline);
    reachedAt.set(client, performance.now());
    return result;
  } catch (error) {
    const isThere = (reachedAt.get(client) ?? -Infinity) > deadline - LOOK_BEFORE_MS;
    throw asRefusal(error, { isTaken, isThere });
  } finally {
    clearTimeout(looking);
  }
}

/** Answers 503 3001 at the end of the call's time. What was begun goes on, and the same call finds its outcome. */
export async function withinCallTime<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await inTime(run, performance.now() + CALL_TIMEOUT_MS);
  } catch (error) {
    throw error instanceof OutOfTimeError ? refuse('OPERATIONBEINGPROCESSED') : error;
  }
}

/** @throws OutOfTimeError at the deadline; the call itself goes on */
async function inTime<T>(run: () => Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutOfTimeError()), Math.max(msLeft(deadline), 1));
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function repeatedly<T>(client: Client, run: () => Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await withTimeLeft(client, run, Math.max(msLeft(deadline), 1));
    } catch (error) {
      if (!isPassing(error) || msLeft(deadline) < PASSING_RETRY_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PASSING_RETRY_MS));
    }
  }
}

/** This long before the deadline, ask whether Temporal responds at all. A call that waits for a round doesn't show it. */
const LOOK_BEFORE_MS = 3_000;

/** Calls in progress, also those whose callers are gone. The SDK retries some of them and throws if the connection is closed. */
const underWay = new WeakMap<Client, Set<Promise<unknown>>>();

function noted<T>(client: Client, call: Promise<T>): Promise<T> {
  const calls = underWay.get(client) ?? new Set();
  underWay.set(client, calls.add(call));
  const forget = (): void => void calls.delete(call);
  call.then(forget, forget);
  return call;
}

/** Returns when no call to Temporal is in progress any more, so that its connection can be closed. */
export async function callsEnded(client: Client): Promise<void> {
  await Promise.allSettled([...(underWay.get(client) ?? [])]);
}

/** When Temporal last responded, by `performance.now()`. */
const reachedAt = new WeakMap<Client, number>();

function lookWhenLate(client: Client, deadline: number): NodeJS.Timeout {
  const look = (): void => {
    const asked = client.withDeadline(Date.now() + LOOK_BEFORE_MS, () =>
      client.workflowService.getSystemInfo({}),
    );
    void noted(client, asked).then(
      () => reachedAt.set(client, performance.now()),
      () => undefined,
    );
  };
  return setTimeout(look, Math.max(msLeft(deadline) - LOOK_BEFORE_MS, 0));
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

/**
 * Whether the call can be sent again: the round's task was repeated, or its worker lost the update and the server refused it.
 * That is safe, since every command is idempotent by its key.
 */
function isPassing(error: unknown): boolean {
  if (isUnprocessed(error)) return true;
  const grpc = grpcCodeOf(error);
  return grpc === FAILED_PRECONDITION || grpc === ABORTED;
}

function isUnprocessed(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'UnprocessedUpdate';
}

const PASSING_RETRY_MS = 100;
const FAILED_PRECONDITION = 9;
const ABORTED = 10;
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;

function asRefusal(error: unknown, { isTaken, isThere }: { isTaken: boolean; isThere: boolean }): unknown {
  // The command may have been carried out. The same call joins it later, in a process that knows the key.
  if (error instanceof UnreadablePayloadError) {
    return refuseBecause(error, 'SERVICEUNAVAILABLE');
  }
  if (error instanceof NamespaceNotFoundError) return refuseBecause(error, 'SERVICEUNAVAILABLE');
  const grpc = grpcCodeOf(error);
  const isLate = error instanceof OutOfTimeError || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
  if (grpc === undefined && !isLate) return error;
  const waits = isLate || [DEADLINE_EXCEEDED, CANCELLED].includes(grpc!);
  if (isTaken || grpc === RESOURCE_EXHAUSTED || (waits && isThere)) return refuse('OPERATIONBEINGPROCESSED');
  return refuse('SERVICEUNAVAILABLE');
}

/** The client wraps gRPC errors in its own errors. */
function grpcCodeOf(error: unknown): number | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if (isGrpcServiceError(at)) return at.code;
  }
  return undefined;
}
