import { temporal } from '@temporalio/proto';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { History } from '../../src/histories/facts';

/** An event of a history for a dossier: as Temporal stores it, with readable values and time. */
export interface PlainEvent {
  id: number;
  /** ISO 8601, UTC. */
  at: string;
  /** Such as `ActivityTaskScheduled`. */
  type: string;
  about: Record<string, unknown>;
}

/** Fields of Temporal's own that tell nothing about the round. Values in payloads may have the same names. */
const LEFT_OUT = new Set(['stackTrace', 'encodedAttributes', 'header', 'sdkMetadata', 'workerVersion']);

/** The events of a history, decrypted. @throws UnreadablePayloadError */
export async function plainEvents(history: History, codec: PayloadCodec): Promise<PlainEvent[]> {
  const { events = [] } = temporal.api.history.v1.History.fromObject(history).toJSON() as {
    events?: Record<string, unknown>[];
  };
  const plain = await Promise.all(
    events.map(async (event) => {
      const { eventId, eventTime, eventType, ...rest } = event;
      const name = Object.keys(rest).find((key) => key.endsWith('EventAttributes')) ?? '';
      const about = (await readable(rest[name], codec)) as Record<string, unknown>;
      return { id: Number(eventId), at: timeOf(eventTime), type: typeOf(String(eventType)), about };
    }),
  );
  leaveOutSecretNames(plain);
  return plain;
}

/** The values of an event. Histories are data from outside, so there may be none. */
export function valuesIn(values: unknown): unknown[] {
  return Array.isArray(values) ? values : [];
}

/** The request of an update, as its call has sent it. */
export interface UpdateRequest {
  input?: { name?: string; args?: unknown };
  meta?: { updateId?: string; identity?: unknown };
}

/** The update that an event brings. A reset gives those of the run before to the new run as `admitted`; `accepted` has no request then. */
export function updateIn({ type, about }: PlainEvent): UpdateRequest | undefined {
  if (type === 'WorkflowExecutionUpdateAccepted') return about.acceptedRequest ?? undefined;
  if (type === 'WorkflowExecutionUpdateAdmitted') return about.request ?? undefined;
  return undefined;
}

/** Leaves out what identifies an operator's secrets, by its place: the game's own data may have fields of the same names. */
function leaveOutSecretNames(events: readonly PlainEvent[]): void {
  const activities = new Map<number, string | undefined>();
  for (const { id, type, about } of events) {
    const { name } = Object(about.activityType) as { name?: string };
    if (type === 'ActivityTaskScheduled') activities.set(id, name);
    const activity = name ?? activities.get(Number(about.scheduledEventId));
    const [input, result] = [valuesIn(about.input), valuesIn(about.result)];
    leaveOut(input[0], ['continued', 'state', 'pending', 'rejectedSecrets']);
    if (activity === 'newSecrets') input[1] = null;
    if (activity === 'deliver') {
      leaveOut(input[1], ['state', 'pending', 'rejectedSecrets']);
      leaveOut(result[0], ['result', 'signedWith']);
      leaveOut(result[0], ['credit', 'result', 'signedWith']);
    }
    if (activity === 'deliverUntilDefinite') leaveOut(result[0], ['signedWith']);
  }
}

function leaveOut(value: unknown, [name = '', ...rest]: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  if (rest.length === 0) delete fields[name];
  else leaveOut(fields[name], rest);
}

async function readable(value: unknown, codec: PayloadCodec): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((one) => readable(one, codec)));
  if (typeof value !== 'object' || value === null) return value;
  const { payloads, metadata, data } = value as { payloads?: unknown; metadata?: unknown; data?: unknown };
  if (Array.isArray(payloads)) return Promise.all(payloads.map((one) => valueOf(one as TextPayload, codec)));
  if (typeof metadata === 'object' && (data === undefined || typeof data === 'string'))
    return valueOf(value, codec);
  const fields: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value))
    if (!LEFT_OUT.has(name)) fields.push([name, await readable(inner, codec)]);
  const failure = (value as { encodedAttributes?: unknown }).encodedAttributes;
  if (typeof failure === 'object' && failure !== null)
    fields.push(['message', await messageOf(failure, codec)]);
  return Object.fromEntries(fields);
}

/** With payload keys, a failure has its message and its stack trace in an encrypted payload. */
async function messageOf(failure: TextPayload, codec: PayloadCodec): Promise<unknown> {
  const { message } = Object(await valueOf(failure, codec)) as { message?: unknown };
  return message ?? 'unknown';
}

/** A payload whose bytes are base64 texts. */
interface TextPayload {
  metadata?: Record<string, string>;
  data?: string;
}

async function valueOf({ metadata = {}, data }: TextPayload, codec: PayloadCodec): Promise<unknown> {
  const bytes = (text: string): Uint8Array => Buffer.from(text, 'base64');
  const payload: Payload = {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, bytes(text)])),
    data: data === undefined ? null : bytes(data),
  };
  const [decoded = payload] = await codec.decode([payload]);
  const value = defaultPayloadConverter.fromPayload<unknown>(decoded);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value ?? null;
}

function timeOf(time: unknown): string {
  const { seconds, nanos = 0 } = Object(time) as { seconds?: string; nanos?: number };
  return new Date(Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000)).toISOString();
}

/** `EVENT_TYPE_TIMER_STARTED` is `TimerStarted`. */
function typeOf(name: string): string {
  return name
    .replace('EVENT_TYPE_', '')
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join('');
}
