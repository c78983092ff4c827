import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';

export type History = temporal.api.history.v1.IHistory;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** How a run ended. */
export type Ending = 'completed' | 'failed' | 'continued' | 'terminated';

/** An event of a history, as far as it says what a round did. `what` is the name under which proof/told.ts reports the same. */
export type Fact = { eventId: string } & (
  | { is: 'started'; args: unknown[] }
  | { is: 'scheduled'; what: string; activity: string; args: unknown[] }
  | { is: 'done'; what: string; activity: string; result: unknown }
  | { is: 'failed'; what: string; activity: string }
  | { is: 'answered'; what: string; result: unknown }
  | { is: 'ended'; how: Ending; what?: string; values?: unknown[] }
);

/** Reads the facts of a history, decrypted. @throws UnreadablePayloadError */
export async function factsOf(history: History, codec: Pick<PayloadCodec, 'decode'>): Promise<Fact[]> {
  const scheduled = new Map<string, { what: string; activity: string }>();
  const facts: Fact[] = [];
  const values = (payloads: { payloads?: Payload[] | null } | null | undefined): Promise<unknown[]> =>
    valuesOf(payloads?.payloads ?? [], codec);
  for (const event of history.events ?? []) {
    const fact = await factOf(event, scheduled, values);
    if (fact !== undefined) facts.push({ eventId: String(event.eventId), ...fact });
  }
  return facts;
}

/** The last reset of a run: its event, the run that it made, and the run that it has ended. */
export interface Reset {
  eventId: number;
  runId: string;
  baseRunId: string;
}

export function resetIn({ events }: History): Reset | undefined {
  const event = events?.findLast((one) => one.workflowTaskFailedEventAttributes?.newRunId);
  const { newRunId: runId, baseRunId } = event?.workflowTaskFailedEventAttributes ?? {};
  return runId ? { eventId: Number(event?.eventId), runId, baseRunId: baseRunId ?? '' } : undefined;
}

/** The run as which this one was continued. */
export function nextRunIn({ events }: History): string | undefined {
  return events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
}

type Values = (payloads: { payloads?: Payload[] | null } | null | undefined) => Promise<unknown[]>;
type Bare<T> = T extends { eventId: string } ? Omit<T, 'eventId'> : never;

async function factOf(
  event: HistoryEvent,
  scheduled: Map<string, { what: string; activity: string }>,
  values: Values,
): Promise<Bare<Fact> | undefined> {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) return { is: 'started', args: await values(started.input) };
  const asked = event.activityTaskScheduledEventAttributes;
  if (asked) {
    const about = { what: `activity ${asked.activityId}`, activity: asked.activityType?.name ?? '' };
    scheduled.set(String(event.eventId), about);
    return { is: 'scheduled', ...about, args: await values(asked.input) };
  }
  const done = event.activityTaskCompletedEventAttributes;
  if (done) {
    const [result] = await values(done.result);
    return { is: 'done', ...aboutOf(scheduled, done), result };
  }
  const failed =
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes;
  if (failed) return { is: 'failed', ...aboutOf(scheduled, failed) };
  const update = event.workflowExecutionUpdateCompletedEventAttributes;
  if (update) {
    if (!update.outcome?.success) return undefined;
    const [result] = await values(update.outcome.success);
    return { is: 'answered', what: `update ${update.meta?.updateId}`, result };
  }
  return endingOf(event, values);
}

async function endingOf(event: HistoryEvent, values: Values): Promise<Bare<Fact> | undefined> {
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed)
    return { is: 'ended', how: 'completed', what: 'result', values: await values(completed.result) };
  const continued = event.workflowExecutionContinuedAsNewEventAttributes;
  if (continued)
    return { is: 'ended', how: 'continued', what: 'next run', values: await values(continued.input) };
  if (event.workflowExecutionFailedEventAttributes) return { is: 'ended', how: 'failed' };
  const isStopped =
    event.workflowExecutionTerminatedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes ??
    event.workflowExecutionCanceledEventAttributes;
  return isStopped ? { is: 'ended', how: 'terminated' } : undefined;
}

function aboutOf(
  scheduled: ReadonlyMap<string, { what: string; activity: string }>,
  { scheduledEventId }: { scheduledEventId?: unknown },
): { what: string; activity: string } {
  const id = String(scheduledEventId);
  return scheduled.get(id) ?? { what: `activity of event ${id}`, activity: '' };
}

async function valuesOf(payloads: Payload[], codec: Pick<PayloadCodec, 'decode'>): Promise<unknown[]> {
  const decoded = await codec.decode(payloads);
  return decoded.map((payload) => defaultPayloadConverter.fromPayload<unknown>(payload));
}
