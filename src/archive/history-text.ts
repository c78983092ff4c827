import { temporal } from '@temporalio/proto';

type History = temporal.api.history.v1.IHistory;

const Message = temporal.api.history.v1.History;

/**
 * A history as JSON. The SDK's own function fails where npm installs protobufjs twice, so this is the plain form of its
 * messages: enums by name, 64-bit numbers as text, bytes in base64. The names of each object are sorted, since Temporal returns
 * those of a map in another order each time, and the text has a SHA-256.
 */
export function historyToText(history: History): string {
  return JSON.stringify(Message.fromObject(history).toJSON(), sorted);
}

/** The events of a history in this form, each as a text. */
export function eventsToText(events: NonNullable<History['events']>): string[] {
  const { events: plain = [] } = Message.fromObject({ events }).toJSON() as { events?: object[] };
  return plain.map((event) => JSON.stringify(event, sorted));
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Reads a history from this form, or as Temporal's command line and Web export it (proto JSON with times and durations as
 * text).
 * @throws if it is no history
 */
export function historyFromText(text: string): History {
  const read: unknown = JSON.parse(text, (key, value: unknown) =>
    typeof value === 'string' ? (timeIn(key, value) ?? value) : value,
  );
  return Message.fromObject(read as object);
}

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/;
const DURATION = /^(\d+)(?:\.(\d+))?s$/;
const TIMES = /(Time|Timestamp)$/;
const DURATIONS = /(Timeout|Interval|Backoff|Delay|Duration)$/;

function timeIn(key: string, value: string): { seconds: number; nanos: number } | undefined {
  const instant = TIMES.test(key) ? INSTANT.exec(value) : null;
  if (instant !== null)
    return { seconds: Date.UTC(...partsOf(instant[1] ?? '')) / 1_000, nanos: nanosOf(instant[2]) };
  const duration = DURATIONS.test(key) ? DURATION.exec(value) : null;
  return duration === null ? undefined : { seconds: Number(duration[1]), nanos: nanosOf(duration[2]) };
}

function partsOf(instant: string): [number, number, number, number, number, number] {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = instant.split(/[-T:]/).map(Number);
  return [year, month - 1, day, hour, minute, second];
}

function nanosOf(fraction = ''): number {
  return Number(fraction.padEnd(9, '0').slice(0, 9));
}
