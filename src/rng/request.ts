import { refuse } from '../domain/errors';

export const RNG_END_POINTS = ['getDoubles', 'getIntegers', 'getShuffle'] as const;
export type RngEndPoint = (typeof RNG_END_POINTS)[number];

/** The most values per call. */
export const MAX_COUNT = 10_000;

export interface RngPayload {
  /** 1 to 10,000. */
  count: number;
  min: number;
  max: number;
}

export interface RngRequest {
  rngEndPoint: RngEndPoint;
  rngPayload: RngPayload;
}

/**
 * Validates a request (docs/interface#random-end-points). It refuses:
 * - all: an unknown rngEndPoint; a count that is not an integer from 1 to 10,000;
 * - getDoubles: min or max not finite; min ≥ max (the range excludes max); max − min larger than the largest double;
 * - getIntegers: min or max not an integer within ±(2^53 − 1); min > max; more than 2^53 values;
 * - getShuffle: as getIntegers; more than 10,000 values; a count that isn't max − min + 1, since a permutation has all values.
 * @throws RefusedError 400 INVALIDREQUEST with the field
 */
export function readRequest(asked: { rngEndPoint: unknown; rngPayload: unknown }): RngRequest {
  const rngEndPoint = RNG_END_POINTS.find((name) => name === asked.rngEndPoint);
  if (rngEndPoint === undefined)
    throw refuse('INVALIDREQUEST', `rngEndPoint must be one of ${RNG_END_POINTS.join(', ')}`);
  return { rngEndPoint, rngPayload: CHECKS[rngEndPoint](fieldsOf(asked.rngPayload)) };
}

type Fields = Partial<Record<keyof RngPayload, unknown>>;

const CHECKS: Record<RngEndPoint, (fields: Fields) => RngPayload> = {
  getDoubles: ({ count, min, max }) => {
    const payload = { count: countIn(count), min: numberIn('min', min), max: numberIn('max', max) };
    if (payload.min >= payload.max) throw wrong('max', 'must be above min');
    if (!Number.isFinite(payload.max - payload.min)) throw wrong('max', 'is too far from min');
    return payload;
  },
  getIntegers,
  getShuffle: (fields) => {
    const payload = getIntegers(fields);
    const size = payload.max - payload.min + 1;
    if (size > MAX_COUNT) throw wrong('max', `must be less than ${MAX_COUNT} above min`);
    if (payload.count !== size) throw wrong('count', 'must be max - min + 1: a permutation has all values');
    return payload;
  },
};

function getIntegers({ count, min, max }: Fields): RngPayload {
  const payload = { count: countIn(count), min: integerIn('min', min), max: integerIn('max', max) };
  if (payload.min > payload.max) throw wrong('max', 'must not be below min');
  if (payload.max - payload.min > Number.MAX_SAFE_INTEGER) throw wrong('max', 'is too far from min');
  return payload;
}

function countIn(value: unknown): number {
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > MAX_COUNT) {
    throw wrong('count', `must be an integer from 1 to ${MAX_COUNT}`);
  }
  return Number(value);
}

function integerIn(field: keyof RngPayload, value: unknown): number {
  if (!Number.isSafeInteger(value)) throw wrong(field, 'must be an integer within 2^53 - 1');
  return Number(value);
}

function numberIn(field: keyof RngPayload, value: unknown): number {
  if (!Number.isFinite(value)) throw wrong(field, 'must be a number');
  return Number(value);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {};
}

function wrong(field: keyof RngPayload, why: string): Error {
  return refuse('INVALIDREQUEST', `rngPayload.${field} ${why}`);
}
