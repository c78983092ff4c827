import { parse } from 'lossless-json';
import { refuse } from '../domain/errors';

const MAX_DEPTH = 64;
/** Longer than any real number. The conversion takes quadratic time, so longer texts are refused. */
const MAX_NUMBER_CHARS = 64;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a request's JSON strictly: UTF-8, no key twice with different values, no `__proto__`, at most 64 levels deep.
 * A number becomes NaN if a double would change it to another integer or to infinity (9007199254740993, 1e400,
 * 0.99999999999999999999), if it has more than 64 characters, or if it is -0. The schemas refuse NaN and name the field.
 * Fractions are not checked.
 * @throws RefusedError 400 INVALIDREQUEST
 */
export function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = parse(decoder.decode(bytes), undefined, exactNumber);
  } catch {
    throw refuse('INVALIDREQUEST', 'the body is not well-formed JSON');
  }
  inspect(value, 1);
  return value;
}

function inspect(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw refuse('INVALIDREQUEST', 'the body is nested too deeply');
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__proto__') throw refuse('INVALIDREQUEST', 'the body has a key that is not allowed');
    inspect(entry, depth + 1);
  }
}

function exactNumber(written: string): number {
  if (written.length > MAX_NUMBER_CHARS) return Number.NaN;
  const value = Number(written);
  if (Object.is(value, -0)) return Number.NaN;
  if (!Number.isInteger(value)) return Number.isFinite(value) ? value : Number.NaN;
  return Number.isSafeInteger(value) && canonical(written) === canonical(String(value)) ? value : Number.NaN;
}

/** One text for all ways to write a number: sign, digits without zeros at both ends, power of ten. */
function canonical(written: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
