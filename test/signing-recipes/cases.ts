/**
 * What every recipe has to sign, and the signature that openssl makes of it:
 *
 *   printf '%s' "$MESSAGE" | openssl dgst -sha256 -hmac 'sdk-test-secret' -binary | base64
 *
 * The signatures are those of test/sdk/signing.test.ts, and some more.
 */
export const SECRET = 'sdk-test-secret';
export const AUTH_ID = 'op1';
export const TIMESTAMP = '2026-03-04T05:06:07.890Z';

/** The fields after secret, X-H-AUTH-ID and X-H-TIMESTAMP. */
export const FIELD_CASES: [fields: string[], signature: string][] = [
  [['p1', 'g1', 'r1', 'h1', '250', 'h2', '75'], 's60Lx4tWRntA+qDRcR2qHPGf4NOpk5QUg8xds1HzOFc='],
  [['p1', 'g1', 'r1', 'h1', 'h2'], 'ecUFndVkk0Z5O+ZUYwS5RA+Ct806H9OuHFgEeNb9u5k='],
  [['p1', 'g1', 'r1', 'h1', '9007199254740991'], 'JT1o1b+ddNAtOV3Qv427DKwWga4kGB04pbfy5i6AGdY='],
  [[], 'T8irsqcD+fIpyPkqmdwcI5qvBTPY80yVk0+T/sjn0es='],
  [['r1'], 'Gm9U5iwmgvTwjgY1/sCRcrb59DE6HDlZ7rmYYZ/jBCA='],
  [['p1', 'r1'], 'NHfzOA1IjvQyxImf6X9RsZtNybnFcRHm31j942ZwqaM='],
  [['p1', 'EUR'], 'TjF5UPhCztzqfKH1y0t0QjM7AIlyIJsa39TsWF+BvpY='],
  [['p1', 'EUR', 'g1'], 'XU6zvWO23VXPedKW+IW5S0sNZJuN2mxlPGwRXMQa6t4='],
  [['p é+1', 'EUR'], 'fj3M0TsHoEZNRgJNxvT5qtRp9CpsxxJBDW1Ps2c/cMc='],
  [['g1', 'EUR'], 'dq53MEU82Xxn61qe4Ki6+km8rQyxosoKJ5LWJHSisgc='],
  [['p1', 'EUR', 'g1', 'real'], 'QwzW6V28+Hx/MVN/ydToH9NW8M+YoMZEC+53JqtrSJU='],
  [['EUR', 'g1', 'DEMO'], 'jVQjOvSOeGlhNxpTYiiRCWaavaeg+QjGmciKEMwLX/0='],
  [['p1'], 'EDbk5Ohc67mCYkN4zbfoYlTezQSsbvyFdCUtwtAYewI='],
  [['EUR'], 'ai8Jy4VlRt1TVFdzPTy+wECFb2QwVOMiIYuyAHMfIn8='],
];

export const BODY_CASES: [body: string | Buffer, signature: string][] = [
  ['{"token":"t","gameRound":"r"}', 'OLIYAApbKuLtxZKUeAtWhso4xsTo+bycU2F55fm64e4='],
  ['{ "b" : 1.0,\t"a":1 }', 'gvzkqVqd8/iclz6lHvbvUcxCNC+CDFDCHf88M+1cHMw='],
  ['{"name":"\\u00e9"}', 'RTXONRGcLMBZK1/ATLUraSItGmT3zAZA/KrEod3h6l8='],
  ['{"name":"é"}', 'uZDFS386epukJtpaMcheeBv0GDe5TCnmH0hiszMb/jw='],
  ['', 'o0/fxAy9UfVbx0SbaThe76nw8ZyfPJGHOAWeL83kjt4='],
  [Buffer.from([0xff]), 'KRrlTVFFIBJhGi9e8iRNPrODKUIpZGKhpgmDTiAMHc0='],
  // printf '{}\n#%s' "$TIMESTAMP"
  ['{}\n', 'Xae+/F1RgwinZ3lBckklibvLS/UHfUNR/JP3znfMCxo='],
];

/** What a driver reads: the kind, then secret, id, timestamp, fields or secret, timestamp, body; hexadecimal, '-' for nothing. */
export const CASE_LINES: string = [
  ...FIELD_CASES.map(([fields]) => line('fields', [SECRET, AUTH_ID, TIMESTAMP, ...fields])),
  ...BODY_CASES.map(([body]) => line('body', [SECRET, TIMESTAMP, body])),
].join('');

function line(kind: 'fields' | 'body', values: (string | Buffer)[]): string {
  const hex = values.map((value) => Buffer.from(value as string).toString('hex') || '-');
  return `${kind} ${hex.join(' ')}\n`;
}

export const EXPECTED: string[] = [...FIELD_CASES, ...BODY_CASES].map(([, signature]) => signature);
