import { utf8ToBytes } from '@noble/hashes/utils';

/* Rules for texts from outside. HTTP and workflows share them, so that a workflow never refuses what HTTP has accepted. */

export const MAX_ID_CHARS = 128;
export const MAX_FREE_TEXT_BYTES = 16_384;

/** Characters that would break a database key or a log line. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}]/u;
const SURROGATE = /\p{Surrogate}/u;

/** One line of text: 1 to `maxChars` characters without control characters and lone surrogates. */
export function isLine(value: unknown, maxChars = MAX_ID_CHARS): value is string {
  return typeof value === 'string' && value !== '' && chars(value) <= maxChars && !UNPRINTABLE.test(value);
}

/** Identifiers and idempotency keys: a line without `#`, which separates the signed fields. */
export function isIdentifier(value: unknown, maxChars = MAX_ID_CHARS): value is string {
  return isLine(value, maxChars) && !value.includes('#');
}

/** Well-formed text of a bounded size; may be empty. */
export function isFreeText(value: unknown): value is string {
  return typeof value === 'string' && bytesOf(value) <= MAX_FREE_TEXT_BYTES && !SURROGATE.test(value);
}

/** A free-form object of strings. */
export function isStrings(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isEach = Object.entries(value).every(([key, text]) => isLine(key) && isFreeText(text));
  return isEach && bytesOf(JSON.stringify(value)) <= MAX_FREE_TEXT_BYTES;
}

/** Counts code points as JSON Schema does, not UTF-16 units as JavaScript does. */
export function chars(text: string): number {
  return [...text].length;
}

/** The size in UTF-8. */
export function bytesOf(text: string): number {
  return utf8ToBytes(text).length;
}
