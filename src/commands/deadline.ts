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
 * The command's time: how long a caller waits, not how long the workflow may take. Of the ten seconds in which every call
 * is answered the rest is for what is done before and after.
 */
const COMMAND_TIMEOUT_MS = 9_500;
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

/** There was no time left for a call to Temporal to be made, or to be answered. */
export class OutOfTimeError extends Error {}

export interface Waiting {
  deadline?: number;
  /** Temporal has taken the command before: that its outcome isn't there is all that can be said. */
  isTaken?: boolean;
}

/** Calls to Temporal with the command's time; their errors become the interface's. Ends with it whatever the client does. */
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
    throw asRefusal(error, isTaken || (reachedAt.get(client) ?? 0) > deadline - LOOK_BEFORE_MS);
  } finally {
    clearTimeout(looking);
  }
}

/** @throws OutOfTimeError at the deadline; what runs then is left alone */
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

/** Shortly before the deadline it is asked whether Temporal is there at all: a call that waits for a round doesn't show it. */
const LOOK_BEFORE_MS = 3_000;

/** Calls whose callers may have gone; the SDK repeats some of them, and throws where their connection is closed then. */
const underWay = new WeakMap<Client, Set<Promise<unknown>>>();

function noted<T>(client: Client, call: Promise<T>): Promise<T> {
  const calls = underWay.get(client) ?? new Set();
  underWay.set(client, calls.add(call));
  const forget = (): void => void calls.delete(call);
  call.then(forget, forget);
  return call;
}

/** Returns when no call to Temporal is under way any more: its connection can be closed. */
export async function callsEnded(client: Client): Promise<void> {
  await Promise.allSettled([...(underWay.get(client) ?? [])]);
}

/** When Temporal has last answered; by `performance.now()`. */
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
 * The round's task was repeated under the call, or its worker has lost the update, which the server then refuses itself:
 * every command is idempotent by its key, so it is sent again.
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

function asRefusal(error: unknown, isThere: boolean): unknown {
  // The command may well be carried out: the same call again joins it, where the key is known.
  if (error instanceof UnreadablePayloadError) {
    return refuseBecause(error, 'SERVICEUNAVAILABLE');
  }
  if (error instanceof NamespaceNotFoundError) return refuseBecause(error, 'SERVICEUNAVAILABLE');
  const grpc = grpcCodeOf(error);
  const isLate = error instanceof OutOfTimeError || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
  if (grpc === undefined && !isLate) return error;
  const waits = isLate || [DEADLINE_EXCEEDED, CANCELLED].includes(grpc!);
  if (grpc === RESOURCE_EXHAUSTED || (waits && isThere)) return refuse('OPERATIONBEINGPROCESSED');
  return refuse('SERVICEUNAVAILABLE');
}

/** The client wraps the transport's error in one of its own. */
function grpcCodeOf(error: unknown): number | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if (isGrpcServiceError(at)) return at.code;
  }
  return undefined;
}
