/** Not the years 0000 to 0099: some programs take them for 1900 to 1999. */
const DATE_TIME =
  /^((?!00)\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?$/;

/**
 * Milliseconds since the epoch for a full ISO 8601 date-time. Without a time zone it is UTC, whatever zone the process has.
 * Undefined for anything else, also for a 30th of February.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, date, time, fraction = '0', sign, hours = '0', minutes = '0'] = DATE_TIME.exec(text) ?? [];
  const written = `${date}T${time}`;
  const utc = new Date(`${written}Z`);
  if (Number.isNaN(utc.getTime()) || utc.toISOString().slice(0, 19) !== written) return undefined;
  const [zoneHours, zoneMinutes] = [Number(hours), Number(minutes)];
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const offsetMs = (zoneHours * 60 + zoneMinutes) * 60_000;
  return utc.getTime() + Math.trunc(Number(`0.${fraction}`) * 1_000) + (sign === '-' ? offsetMs : -offsetMs);
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
