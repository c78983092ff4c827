/** A place in which two values differ. A value that is absent is undefined. */
export interface Difference {
  /** Such as `transactions[1].amount`. */
  path: string;
  expected: unknown;
  found: unknown;
}

/**
 * The places in which `found` differs from `expected`; at most `most`. Both are compared as JSON, so an absent field and
 * one that is undefined are the same. With `more: 'allowed'` objects may have more fields than expected.
 */
export function differences(
  expected: unknown,
  found: unknown,
  { more = 'forbidden', most = 20 }: { more?: 'allowed' | 'forbidden'; most?: number } = {},
): Difference[] {
  const all: Difference[] = [];
  walk(plain(expected), plain(found), '');
  return all;

  function walk(one: unknown, other: unknown, path: string): void {
    if (all.length >= most || Object.is(one, other)) return;
    if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
      all.push({ path, expected: one, found: other });
      return;
    }
    const isList = Array.isArray(one);
    const names =
      more === 'allowed' && !isList ? Object.keys(one) : [...Object.keys(one), ...Object.keys(other)];
    for (const name of new Set(names))
      walk(one[name], other[name], isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

const MAX_VALUE_CHARS = 80;

/** One line for a person. */
export function describe({ path, expected, found }: Difference, names = ['history', 'today']): string {
  const text = (value: unknown): string => {
    const json = value === undefined ? 'absent' : JSON.stringify(value);
    return json.length > MAX_VALUE_CHARS ? `${json.slice(0, MAX_VALUE_CHARS)}…` : json;
  };
  return `${path}: ${names[0]} ${text(expected)}, ${names[1]} ${text(found)}`;
}
