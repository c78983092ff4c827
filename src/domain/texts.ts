import { utf8ToBytes } from '@noble/hashes/utils';

/* What a text from outside may be: one rule for the HTTP interface and for the rounds, so that neither refuses what the other took. */

export const MAX_ID_CHARS = 128;
export const MAX_FREE_TEXT_BYTES = 16_384;

/** What would break a key in a database, or a log line. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}]/u;
const SURROGATE = /\p{Surrogate}/u;

/** One line of text: 1 to `maxChars` characters without control characters; halves of characters are none. */
export function isLine(value: unknown, maxChars = MAX_ID_CHARS): value is string {
  return typeof value === 'string' && value !== '' && chars(value) <= maxChars && !UNPRINTABLE.test(value);
}

/** Identifiers and idempotency keys: a line without `#`, which separates the fields that are signed. */
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

/** As JSON Schema counts: code points, not the halves of which some are made in JavaScript. */
export function chars(text: string): number {
  return [...text].length;
}

/** In UTF-8. */
export function bytesOf(text: string): number {
  return utf8ToBytes(text).length;
}
