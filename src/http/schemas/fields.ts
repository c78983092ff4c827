import { z } from 'zod';
import { refuse } from '../../domain/errors';
import { normalId } from '../../domain/hashes';
import { isAmount, MAX_AMOUNT } from '../../domain/money';
import {
  bytesOf,
  chars,
  isFreeText,
  isIdentifier,
  isLine,
  isStrings,
  MAX_FREE_TEXT_BYTES,
  MAX_ID_CHARS,
} from '../../domain/texts';

const MAX_DETAIL_CHARS = 200;

/** Identifiers and idempotency keys: 1 to 128 characters, none of them `#` or a control character. */
export const identifier = (maxChars = MAX_ID_CHARS) =>
  z
    .string({ error: 'must be a string' })
    .min(1, 'must not be empty')
    .refine((text) => chars(text) <= maxChars, `must have at most ${maxChars} characters`)
    .refine((text) => isIdentifier(text, maxChars), 'must not contain # or control characters')
    .meta({ maxLength: maxChars, pattern: '^[^#\\u0000-\\u001f\\u007f-\\u009f]+$' });

/** A round's hash. Capital letters are accepted; the signature covers the text as it was sent. */
export const roundHash = identifier().overwrite(normalId);

const AMOUNT = `must be an integer from 0 to ${MAX_AMOUNT} in minor units`;
/** docs/interface#amounts */
export const amount = z
  .number({ error: AMOUNT })
  .refine(isAmount, AMOUNT)
  .meta({ type: 'integer', minimum: 0, maximum: MAX_AMOUNT, description: 'Minor units.' });

export const count = (max: number) => {
  const message = `must be an integer from 1 to ${max}`;
  return z.number({ error: message }).int(message).min(1, message).max(max, message);
};

const NUMBER = `must be a number from -${MAX_AMOUNT} to ${MAX_AMOUNT}`;
/** Outside these bounds a double is not exact. A request with such a number is refused, not rounded (http/json.ts). */
export const number = z.number({ error: NUMBER }).min(-MAX_AMOUNT, NUMBER).max(MAX_AMOUNT, NUMBER);

export const currency = z
  .string({ error: 'must be a currency code' })
  .regex(/^[A-Za-z][A-Za-z0-9]{1,9}$/, 'must be a currency code')
  .meta({ description: 'ISO 4217, or a code of the same form.', examples: ['EUR'] });

export const flag = z.boolean({ error: 'must be true or false' });

export const freeText = z
  .string({ error: 'must be a string' })
  .refine(isFreeText, `must be well-formed and at most ${MAX_FREE_TEXT_BYTES} bytes`)
  .meta({ maxLength: MAX_FREE_TEXT_BYTES, description: `At most ${MAX_FREE_TEXT_BYTES} bytes in UTF-8.` });

const key = z
  .string()
  .min(1)
  .refine((text) => chars(text) <= MAX_ID_CHARS, `must have keys of at most ${MAX_ID_CHARS} characters`)
  .refine((text) => isLine(text), 'must have keys without control characters')
  .meta({ maxLength: MAX_ID_CHARS, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' });

const fits = (value: unknown): boolean => bytesOf(JSON.stringify(value)) <= MAX_FREE_TEXT_BYTES;
const SIZE = `at most ${MAX_FREE_TEXT_BYTES} bytes as JSON`;
const TOO_LARGE = `must be at most ${MAX_FREE_TEXT_BYTES} bytes`;

/** An object with any keys whose values are strings. */
export const strings = z
  .record(key, freeText, { error: 'must be an object of strings' })
  .refine(isStrings, TOO_LARGE)
  .meta({ description: `A free-form object of strings, ${SIZE}.` });

const json = (keys: z.ZodType<string, string>, error: string): z.ZodType => {
  const self: z.ZodType = z.lazy(() =>
    z.union([z.null(), z.boolean(), number, z.string(), z.array(self), z.record(keys, self)], { error }),
  );
  return self;
};

/** Any JSON value. A number that a double cannot hold is refused, since the reply would contain another number. */
export const anyJson = json(z.string(), 'must have exact numbers');

/** The MongoDB driver treats an object with the key `_bsontype` as one of its own types. */
const storableKey = key.refine((text) => text !== '_bsontype', 'must not have the key _bsontype');

/** Any JSON value whose keys, also nested ones, MongoDB can store. */
export const storableJson = json(
  storableKey,
  `must have exact numbers, and keys of 1 to ${MAX_ID_CHARS} characters without control characters`,
);

/** A free-form object with any JSON values. */
export const details = z
  .record(storableKey, storableJson, { error: 'must be an object' })
  .refine(fits, TOO_LARGE)
  .meta({ description: `A free-form object, ${SIZE}.` });

export const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, { error: 'must be an object' });

export const token = identifier();

/**
 * Returns the request's known fields; unknown fields are removed.
 * @throws RefusedError 400 INVALIDREQUEST; its msg names the first wrong field, but not the value
 */
export function validated<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') || 'the body';
  const wrong = issue === undefined || isAbsent(value, issue.path) ? 'is required' : issue.message;
  throw refuse('INVALIDREQUEST', `${field} ${wrong}`.slice(0, MAX_DETAIL_CHARS));
}

function isAbsent(value: unknown, path: readonly PropertyKey[]): boolean {
  const found = path.reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, part)
        ? (at as Record<PropertyKey, unknown>)[part]
        : undefined,
    value,
  );
  return found === undefined;
}
