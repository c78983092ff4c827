const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?$/;

/**
 * Milliseconds since the epoch for a full ISO 8601 date-time. Without a time zone it is UTC, whatever zone the process has.
 * Undefined for anything else, also for a 30th of February.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Math.trunc(Number(`0.${match[7] ?? '0'}`) * 1_000);
  const utc = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms));
  const written = `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}`;
  if (Number.isNaN(utc.getTime()) || utc.toISOString().slice(0, 19) !== written) return undefined;
  const [zoneHours, zoneMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const offsetMs = (zoneHours * 60 + zoneMinutes) * 60_000;
  return utc.getTime() - (match[8] === '-' ? -offsetMs : offsetMs);
}

/** One bound of a period. It may be a date without time (its first or last instant) or have a time without seconds. */
export function parsePeriodEnd(text: string, end: 'first' | 'last'): number | undefined {
  const full = text
    .replace(/^\d{4}-\d{2}-\d{2}$/, (date) => `${date}T${end === 'first' ? '00:00:00' : '23:59:59.999'}`)
    .replace(/T\d{2}:\d{2}(?=$|[Zz+-])/, (minute) => `${minute}:00`);
  return parseTimestamp(full);
}

/** Milliseconds since an arbitrary start; only differences count. Changes of the system clock do not affect it. */
export type MonotonicClock = () => number;
