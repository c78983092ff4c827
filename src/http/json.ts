import { parse } from 'lossless-json';
import { refuse } from '../domain/errors';

const MAX_DEPTH = 64;
/** Longer than anybody writes one; what is done with it takes time by the square of its length. */
const MAX_NUMBER_CHARS = 64;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A request's JSON, read strictly: UTF-8, no key twice with different values, no `__proto__`, at most 64 levels deep.
 * A number that no double holds exactly as the integer it seems to be (9007199254740993, 1e400, 0.99999999999999999999),
 * one of more than 64 characters and -0 become NaN, which every schema refuses by the name of its field. Fractions stay what they are.
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

/** Sign, digits without zeros at either end, power of ten: equal for all ways to write one number. */
function canonical(written: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
