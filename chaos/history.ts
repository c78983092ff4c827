import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';

type History = temporal.api.history.v1.IHistory;
type Event = temporal.api.history.v1.IHistoryEvent;

/** The parts of a workflow's history that the checks use and the report shows. */
export interface RoundHistory {
  /** The results of the `deliver` activities, in order: the first delivery of each wallet call (docs/architecture.md). */
  deliveries: Delivery[];
  /** The newest version of the record that the workflow asked to write. 0 if it asked for none. */
  version: number;
  /** By activity id, when the activity was scheduled first. Milliseconds since the epoch. */
  scheduledAt: Map<string, number>;
  /** One line for each event. */
  lines: string[];
  /** The history as the server returned it. */
  whole: History;
}

export interface Delivery {
  /** When it was recorded, ms since the epoch. */
  atMs: number;
  /** `kind` of the DeliveryResult. `failed` if the activity itself failed. */
  kind: string;
}

const LOCAL_ACTIVITY = 'core_local_activity';
const MAX_LINE_CHARS = 400;

export function readHistory(history: History): RoundHistory {
  const events = history.events ?? [];
  const scheduled = new Map<string, string>();
  const deliveries: Delivery[] = [];
  const scheduledAt = new Map<string, number>();
  const lines: string[] = [];
  let version = 0;
  for (const event of events) {
    const { activityId, activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
    const type = activityType?.name;
    if (type) scheduled.set(String(event.eventId), type);
    if (activityId) scheduledAt.set(activityId, msOf(event));
    if (type === 'project') version = Math.max(version, versionOf(decoded(input?.payloads?.[0])));
    const result = activityResult(event, scheduled);
    if (result?.activity === 'deliver') deliveries.push({ atMs: msOf(event), kind: result.kind });
    lines.push(lineOf(event, result));
  }
  return { deliveries, version, scheduledAt, lines, whole: history };
}

function versionOf(projected: unknown): number {
  return Number((Object(projected) as { version?: unknown }).version ?? 0);
}

interface ActivityResult {
  activity: string;
  kind: string;
  value: unknown;
}

function activityResult(event: Event, scheduled: Map<string, string>): ActivityResult | undefined {
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName === LOCAL_ACTIVITY) {
    const about = decoded(marker.details?.['data']?.payloads?.[0]) as { activity_type?: string } | undefined;
    const activity = about?.activity_type ?? '';
    if (marker.failure) return { activity, kind: 'failed', value: marker.failure.message };
    return withKind(activity, decoded(marker.details?.['result']?.payloads?.[0]));
  }
  const done = event.activityTaskCompletedEventAttributes;
  if (done) {
    return withKind(scheduled.get(String(done.scheduledEventId)) ?? '', decoded(done.result?.payloads?.[0]));
  }
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  if (failed) {
    const activity = scheduled.get(String(failed.scheduledEventId)) ?? '';
    return { activity, kind: 'failed', value: failed.failure?.message };
  }
  return undefined;
}

function withKind(activity: string, value: unknown): ActivityResult {
  // `deliver` returns its result in a field, beside a time. Other activities return the result itself.
  const { kind } = Object((Object(value) as { result?: unknown }).result ?? value) as { kind?: unknown };
  return { activity, kind: typeof kind === 'string' ? kind : '', value };
}

function decoded(payload: Payload | null | undefined): unknown {
  if (payload === undefined || payload === null) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<unknown>(payload);
  } catch {
    return undefined;
  }
}

function msOf({ eventTime }: Event): number {
  return Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1e6);
}

function lineOf(event: Event, result: ActivityResult | undefined): string {
  const found = (Object.entries(event) as [string, unknown][]).find(
    ([key, value]) => key.endsWith('EventAttributes') && value !== null,
  );
  const [name, attributes] = found ?? ['', undefined];
  const what = name.replace('EventAttributes', '');
  const about =
    result === undefined ? briefly(attributes) : `${result.activity} ${JSON.stringify(result.value)}`;
  const at = new Date(msOf(event)).toISOString().slice(11, 23);
  return `${String(event.eventId).padStart(4)} ${at} ${what} ${about}`.slice(0, MAX_LINE_CHARS);
}

/** The parts of an event that a reader needs: names, the failure and the payloads. */
function briefly(attributes: unknown): string {
  const {
    signalName,
    input,
    activityType,
    failure,
    workerVersion: _,
    ...rest
  } = Object(attributes) as {
    signalName?: string;
    input?: { payloads?: Payload[] };
    activityType?: { name?: string };
    failure?: { message?: string };
    workerVersion?: unknown;
  };
  const request = (
    rest as { acceptedRequest?: { input?: { name?: string; args?: { payloads?: Payload[] } } } }
  ).acceptedRequest?.input;
  const values = [...(input?.payloads ?? []), ...(request?.args?.payloads ?? [])].map((one) =>
    JSON.stringify(decoded(one)),
  );
  return [signalName, request?.name, activityType?.name, failure?.message, ...values]
    .filter(Boolean)
    .join(' ');
}
