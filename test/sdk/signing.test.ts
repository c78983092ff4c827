import {
  operatorFields,
  parseTimestamp,
  providerFields,
  signBody,
  signFields,
  verifyBody,
  verifyFields,
} from '../../sdk/signing';

/**
 * Every expected value was made by openssl, MESSAGE being what stands in the comment above it (of a body: the body,
 * `#`, TIMESTAMP):
 *
 *   printf '%s' "$MESSAGE" | openssl dgst -sha256 -hmac 'sdk-test-secret' -binary | base64
 */
const SECRET = 'sdk-test-secret';
const TIMESTAMP = '2026-03-04T05:06:07.890Z';

const FIELD_VECTORS: [string, string[], string][] = [
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#g1#r1#h1#250#h2#75
  [
    'doTransactions, amount of a debit and of a credit',
    operatorFields.doTransactions({
      playerId: 'p1',
      gameCode: 'g1',
      gameRound: 'r1',
      transactions: [
        { hash: 'h1', amount: 250 },
        { hash: 'h2', amount: 75 },
      ],
    }),
    's60Lx4tWRntA+qDRcR2qHPGf4NOpk5QUg8xds1HzOFc=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#g1#r1#h1#h2
  [
    'doTransactions, amount left out when absent or 0',
    operatorFields.doTransactions({
      playerId: 'p1',
      gameCode: 'g1',
      gameRound: 'r1',
      transactions: [{ hash: 'h1', amount: 0 }, { hash: 'h2' }],
    }),
    'ecUFndVkk0Z5O+ZUYwS5RA+Ct806H9OuHFgEeNb9u5k=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#g1#r1#h1#9007199254740991
  [
    'doTransactions, largest amount',
    operatorFields.doTransactions({
      playerId: 'p1',
      gameCode: 'g1',
      gameRound: 'r1',
      transactions: [{ hash: 'h1', amount: 9007199254740991 }],
    }),
    'JT1o1b+ddNAtOV3Qv427DKwWga4kGB04pbfy5i6AGdY=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z
  ['doGameRoundReport', operatorFields.doGameRoundReport(), 'T8irsqcD+fIpyPkqmdwcI5qvBTPY80yVk0+T/sjn0es='],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#r1
  [
    'reconcileTransactions',
    operatorFields.reconcileTransactions({ gameRound: 'r1' }),
    'Gm9U5iwmgvTwjgY1/sCRcrb59DE6HDlZ7rmYYZ/jBCA=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#r1
  [
    'getGameRoundDetails',
    operatorFields.getGameRoundDetails({ playerId: 'p1', gameRound: 'r1' }),
    'NHfzOA1IjvQyxImf6X9RsZtNybnFcRHm31j942ZwqaM=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#EUR
  [
    'getBalance without gameCode',
    operatorFields.getBalance({ playerId: 'p1', currency: 'EUR' }),
    'TjF5UPhCztzqfKH1y0t0QjM7AIlyIJsa39TsWF+BvpY=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#EUR#g1
  [
    'getBalance with gameCode',
    operatorFields.getBalance({ playerId: 'p1', currency: 'EUR', gameCode: 'g1' }),
    'XU6zvWO23VXPedKW+IW5S0sNZJuN2mxlPGwRXMQa6t4=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p é+1#EUR
  [
    'getBalance, decoded query values',
    operatorFields.getBalance({ playerId: 'p é+1', currency: 'EUR' }),
    'fj3M0TsHoEZNRgJNxvT5qtRp9CpsxxJBDW1Ps2c/cMc=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#g1#EUR
  [
    'backoffice/getGameConfiguration',
    operatorFields.getGameConfiguration({ gameCode: 'g1', currency: 'EUR' }),
    'dq53MEU82Xxn61qe4Ki6+km8rQyxosoKJ5LWJHSisgc=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#EUR#g1#real
  [
    'getGameURL with playerId',
    operatorFields.getGameURL({ playerId: 'p1', currency: 'EUR', gameCode: 'g1', mode: 'real' }),
    'QwzW6V28+Hx/MVN/ydToH9NW8M+YoMZEC+53JqtrSJU=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#EUR#g1#DEMO
  [
    'getGameURL without playerId',
    operatorFields.getGameURL({ currency: 'EUR', gameCode: 'g1', mode: 'DEMO' }),
    'jVQjOvSOeGlhNxpTYiiRCWaavaeg+QjGmciKEMwLX/0=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1#r1
  [
    'getGameRoundReport',
    operatorFields.getGameRoundReport({ playerId: 'p1', gameRound: 'r1' }),
    'NHfzOA1IjvQyxImf6X9RsZtNybnFcRHm31j942ZwqaM=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#p1
  [
    'registerPlayer',
    operatorFields.registerPlayer({ playerId: 'p1' }),
    'EDbk5Ohc67mCYkN4zbfoYlTezQSsbvyFdCUtwtAYewI=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z
  ['getGameList', operatorFields.getGameList(), 'T8irsqcD+fIpyPkqmdwcI5qvBTPY80yVk0+T/sjn0es='],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#EUR
  [
    'getGameConfiguration of the game',
    providerFields.getGameConfiguration({ currency: 'EUR' }),
    'ai8Jy4VlRt1TVFdzPTy+wECFb2QwVOMiIYuyAHMfIn8=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#r1
  [
    'getGameResult',
    providerFields.getGameResult({ gameRound: 'r1' }),
    'Gm9U5iwmgvTwjgY1/sCRcrb59DE6HDlZ7rmYYZ/jBCA=',
  ],
  // sdk-test-secret#op1#2026-03-04T05:06:07.890Z#r1
  [
    'doGetGameHistory',
    providerFields.doGetGameHistory({ gameRound: 'r1' }),
    'Gm9U5iwmgvTwjgY1/sCRcrb59DE6HDlZ7rmYYZ/jBCA=',
  ],
];

const BODY_VECTORS: [string, string, string][] = [
  ['plain', '{"token":"t","gameRound":"r"}', 'OLIYAApbKuLtxZKUeAtWhso4xsTo+bycU2F55fm64e4='],
  ['spaces, 1.0 and order kept', '{ "b" : 1.0,\t"a":1 }', 'gvzkqVqd8/iclz6lHvbvUcxCNC+CDFDCHf88M+1cHMw='],
  ['escapes kept as sent', '{"name":"\\u00e9"}', 'RTXONRGcLMBZK1/ATLUraSItGmT3zAZA/KrEod3h6l8='],
  ['UTF-8', '{"name":"é"}', 'uZDFS386epukJtpaMcheeBv0GDe5TCnmH0hiszMb/jw='],
  ['empty', '', 'o0/fxAy9UfVbx0SbaThe76nw8ZyfPJGHOAWeL83kjt4='],
];

describe('operator API and service to provider: secret, id, timestamp, fields', () => {
  test.each(FIELD_VECTORS)('%s', (_, fields, expected) => {
    expect(signFields(SECRET, 'op1', TIMESTAMP, fields)).toBe(expected);
    const signed = { secrets: [SECRET], authId: 'op1', timestamp: TIMESTAMP, signature: expected };
    expect(verifyFields(signed, fields)).toBe(true);
    expect(verifyFields(signed, [...fields, 'x'])).toBe(false);
    expect(verifyFields({ ...signed, authId: 'op2' }, fields)).toBe(false);
    expect(verifyFields({ ...signed, timestamp: '2026-03-04T05:06:07.891Z' }, fields)).toBe(false);
  });

  test('during a rotation both secrets verify', () => {
    const [, fields, signature] = FIELD_VECTORS[0] ?? ['', [], ''];
    const signed = { authId: 'op1', timestamp: TIMESTAMP, signature };
    expect(verifyFields({ ...signed, secrets: ['newer', SECRET] }, fields)).toBe(true);
    expect(verifyFields({ ...signed, secrets: [SECRET, 'older'] }, fields)).toBe(true);
    expect(verifyFields({ ...signed, secrets: ['newer'] }, fields)).toBe(false);
    expect(verifyFields({ ...signed, secrets: [] }, fields)).toBe(false);
  });
});

describe('provider to service: the body as sent, #, timestamp', () => {
  test.each(BODY_VECTORS)('%s', (_, body, expected) => {
    expect(signBody(SECRET, body, TIMESTAMP)).toBe(expected);
    expect(signBody(SECRET, Buffer.from(body), TIMESTAMP)).toBe(expected);
    const signed = { secrets: ['newer', SECRET], timestamp: TIMESTAMP, signature: expected };
    expect(verifyBody(signed, Buffer.from(body))).toBe(true);
    expect(verifyBody(signed, `${body} `)).toBe(false);
  });

  test.each(['', 'short', '####', 'é'.repeat(44)])(
    'a signature %j is wrong and does not throw',
    (signature) => {
      expect(verifyBody({ secrets: [SECRET], timestamp: TIMESTAMP, signature }, '{}')).toBe(false);
    },
  );

  test('bytes that are no UTF-8 are signed as they are', () => {
    // printf '\xff#2026-03-04T05:06:07.890Z' | openssl dgst -sha256 -hmac 'sdk-test-secret' -binary | base64
    expect(signBody(SECRET, Buffer.from([0xff]), TIMESTAMP)).toBe(
      'KRrlTVFFIBJhGi9e8iRNPrODKUIpZGKhpgmDTiAMHc0=',
    );
  });
});

describe('timestamps', () => {
  const expected = Date.UTC(2026, 2, 4, 5, 6, 7);
  test.each([
    '2026-03-04T05:06:07Z',
    '2026-03-04T05:06:07.000Z',
    '2026-03-04T05:06:07',
    '2026-03-04T07:06:07+02:00',
    '2026-03-04T07:06:07+0200',
    '2026-03-04T00:06:07-05:00',
  ])('%s', (text) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  test.each([
    '',
    '2026-03-04',
    '1772600767',
    'Wed, 04 Mar 2026 05:06:07 GMT',
    '2026-13-04T05:06:07Z',
    ' 2026-03-04T05:06:07Z',
    '2026-03-04T05:06Z',
    '2026-02-30T05:06:07Z',
    '2026-03-04T24:00:00Z',
  ])('%j is no full date-time', (text) => {
    expect(parseTimestamp(text)).toBeNaN();
  });
});
