import vectors from '../vectors/signing.json';

/** What every recipe has to sign, and the signature that openssl makes of it. */
export const { secret: SECRET, authId: AUTH_ID, timestamp: TIMESTAMP } = vectors;

/** The fields after secret, X-H-AUTH-ID and X-H-TIMESTAMP. */
export const FIELD_CASES: [fields: string[], signature: string][] = [
  ...vectors.operator,
  ...vectors.provider,
].map(({ fields, signature }) => [fields, signature]);

export const BODY_CASES: [body: Buffer, signature: string][] = vectors.bodies.map(({ hex, signature }) => [
  Buffer.from(hex, 'hex'),
  signature,
]);

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
