import fc from 'fast-check';

/** Names with a meaning for a language, a database or its driver, and names of the service's own entries. */
export const HOSTILE_NAMES = [
  ...'result rngCallId jackpotPayout counterType awarded used info winAmount own'.split(' '),
  ...'constructor prototype toString hasOwnProperty toJSON toBSON valueOf then length'.split(' '),
  ...'$ref $id $db $set $where $ $oid $numberLong _bsontype _id __v __defineGetter__'.split(' '),
  ...'a.b . .. a.$.b 0 1 -1 01 1e3 null undefined true é e\u0301 🎰'.split(' '),
  ' ',
];

export const HOSTILE_TEXTS = [
  ...'0 null {"a":1} $where \u0000 a\u0000b \ufeff 🎰 é e\u0301 ObjectId Binary 1e400'.split(' '),
  ...'9007199254740993 </script> # %00 \\u0000 "'.split(' '),
  ...['', ' ', '\n\r\t', '\u2028'],
];

const name = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text)),
);
const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ maxLength: 40, unit: 'grapheme' }));

/** An object of strings with any names, except `__proto__`, which the service refuses. */
export const hostileStrings = fc
  .uniqueArray(fc.tuple(name, text), { maxLength: 12, selector: ([key]) => key })
  .map(
    (entries) => Object.fromEntries(entries.filter(([key]) => key !== '__proto__')) as Record<string, string>,
  );

/** One object with all hostile names. */
export const ALL_HOSTILE: Record<string, string> = Object.fromEntries(
  HOSTILE_NAMES.map((key, index) => [key, HOSTILE_TEXTS[index % HOSTILE_TEXTS.length]!]),
);
