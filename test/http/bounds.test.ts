import { validated } from '../../src/http/schemas/fields';
import * as endpoints from '../../src/http/endpoints/round-commands';
import { readCommand } from '../../src/domain/round/read-command';

/* The HTTP interface and a round have the same rules for texts (src/domain/texts.ts). */

/** A character beyond U+FFFF: two units of UTF-16, four bytes of UTF-8. */
const ASTRAL = '\u{1F3B0}';
const LONGEST_ID = ASTRAL.repeat(128);
const LONGEST_TEXT = ASTRAL.repeat(4_096);
/** `{"…":"…"}` of 16,384 bytes. */
const LONGEST_STRINGS = { [LONGEST_ID]: 'x'.repeat(16_384 - 7 - 512) };

const START = { stake: 1, currency: 'EUR', useTicket: false, endGame: false, winAmount: 0 };
const WIN = { winAmount: 1, collect: false, key: 'k' };
const COUNTED = { key: 'k', counterType: 'free', awarded: 1, used: 0 };
const ROUND = { token: 't', gameRound: 'g' };

/** A field's longest value, the request with the field, and the command that it becomes part of. */
const FIELDS: [string, value: unknown, request: (value: unknown) => unknown, command: unknown][] = [
  [
    'rngCallId of a start',
    LONGEST_ID,
    (rngCallId) => startOf({ rngCallId }),
    ['start', { ...START, rngCallId: LONGEST_ID }],
  ],
  [
    'result of a start',
    LONGEST_TEXT,
    (result) => startOf({ result }),
    ['start', { ...START, result: LONGEST_TEXT }],
  ],
  [
    'rngCallId of a win',
    LONGEST_ID,
    (rngCallId) => winOf({ rngResult: { rngCallId } }),
    ['addWin', { ...WIN, key: `rng:${LONGEST_ID}`, rngCallId: LONGEST_ID }],
  ],
  [
    'externalGameProviderTransactionId',
    LONGEST_ID,
    (externalGameProviderTransactionId) => winOf({ externalGameProviderTransactionId }),
    ['addWin', { ...WIN, key: `transaction:${LONGEST_ID}` }],
  ],
  [
    'betData',
    LONGEST_STRINGS,
    (betData) => winOf({ rngResult: { betData } }),
    ['addWin', { ...WIN, betData: LONGEST_STRINGS }],
  ],
  [
    'jackpotPayout',
    LONGEST_ID,
    (jackpotId) => winOf({ jackpotPayout: [{ jackpotId, jackpotMode: jackpotId }] }),
    ['addWin', { ...WIN, jackpotPayout: [{ jackpotId: LONGEST_ID, jackpotMode: LONGEST_ID }] }],
  ],
  [
    'counterType',
    LONGEST_ID,
    (counterType) => ({
      schema: endpoints.addSpinCounterGameState.request,
      body: { ...ROUND, counterType, rngResult: {} },
    }),
    ['addSpinCounter', { ...COUNTED, counterType: LONGEST_ID }],
  ],
];

function startOf(rngResult: object): unknown {
  const body = { token: 't', rngResult, debitInformation: { debitAmount: 1, currency: 'EUR' } };
  return { schema: endpoints.startGameRound.request, body };
}

function winOf(more: object): unknown {
  return { schema: endpoints.addWin.request, body: { ...ROUND, rngResult: {}, ...more } };
}

function passesTheDoor(request: unknown): boolean {
  const { schema, body } = request as { schema: typeof endpoints.addWin.request; body: unknown };
  try {
    validated(schema, body);
    return true;
  } catch {
    return false;
  }
}

/** Wrong variants of a value: one entry or character too many, or half a surrogate pair. */
function spoiled(value: unknown): unknown[] {
  if (typeof value !== 'string') return [{ ...(value as object), more: '' }];
  return [`${value}x`, `${value.slice(0, -2)}\ud83c`];
}

test.each(FIELDS)(
  '%s: request and command accept the greatest length, and refuse more',
  (_name, value, request, command) => {
    const [type, fields] = command as ['addWin', object];
    expect(passesTheDoor(request(value))).toBe(true);
    expect(readCommand(type, fields)).toMatchObject({ command: fields });
    for (const wrong of spoiled(value)) {
      expect(passesTheDoor(request(wrong))).toBe(false);
      const text = (one: unknown): string => JSON.stringify(one).slice(1, -1);
      const changed: unknown = JSON.parse(JSON.stringify(fields).replaceAll(text(value), text(wrong)));
      expect(readCommand(type, changed)).toHaveProperty('fault');
    }
  },
);

test.each(['a\u0085b', 'a#b', '', 'a\u0000b'])(
  'an identifier that is %j is refused in a request and in a command',
  (wrong) => {
    expect(passesTheDoor(startOf({ rngCallId: wrong }))).toBe(false);
    expect(readCommand('start', { ...START, rngCallId: wrong })).toEqual({ fault: 'rngCallId' });
  },
);
