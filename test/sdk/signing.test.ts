import {
  operatorFields,
  parseTimestamp,
  providerFields,
  signBody,
  signFields,
  verifyBody,
  verifyFields,
} from '../../sdk/signing';
import vectors from '../vectors/signing.json';

/* Every expected signature was made by openssl: see "about" in the file of vectors. */

const { secret: SECRET, authId: AUTH_ID, timestamp: TIMESTAMP } = vectors;

type FieldsOf = (given: object) => string[];
const titled = (lists: object, all: typeof vectors.operator | typeof vectors.provider) =>
  all.map(({ what, call, given, fields, signature }) => ({
    title: [call, what].filter(Boolean).join(', '),
    made: (lists as Record<string, FieldsOf>)[call]!(given),
    fields: fields as string[],
    signature,
  }));
const FIELD_VECTORS = [
  ...titled(operatorFields, vectors.operator),
  ...titled(providerFields, vectors.provider),
];

describe('operator API and service to provider: secret, id, timestamp, fields', () => {
  test.each(FIELD_VECTORS)('$title', ({ made, fields, signature }) => {
    expect(made).toEqual(fields);
    expect(signFields(SECRET, AUTH_ID, TIMESTAMP, fields)).toBe(signature);
    const signed = { secrets: [SECRET], authId: AUTH_ID, timestamp: TIMESTAMP, signature };
    expect(verifyFields(signed, fields)).toBe(true);
    expect(verifyFields(signed, [...fields, 'x'])).toBe(false);
    expect(verifyFields({ ...signed, authId: 'op2' }, fields)).toBe(false);
    expect(verifyFields({ ...signed, timestamp: '2026-03-04T05:06:07.891Z' }, fields)).toBe(false);
  });

  test('every call has a vector', () => {
    const calls = (list: { call: string }[]) => [...new Set(list.map(({ call }) => call))].sort();
    expect(calls(vectors.operator)).toEqual(Object.keys(operatorFields).sort());
    expect(calls(vectors.provider)).toEqual(Object.keys(providerFields).sort());
  });

  test('during a rotation both secrets verify', () => {
    const { fields, signature } = FIELD_VECTORS[0]!;
    const signed = { authId: AUTH_ID, timestamp: TIMESTAMP, signature };
    expect(verifyFields({ ...signed, secrets: ['newer', SECRET] }, fields)).toBe(true);
    expect(verifyFields({ ...signed, secrets: [SECRET, 'older'] }, fields)).toBe(true);
    expect(verifyFields({ ...signed, secrets: ['newer'] }, fields)).toBe(false);
    expect(verifyFields({ ...signed, secrets: [] }, fields)).toBe(false);
  });
});

describe('provider to service: the body as sent, #, timestamp', () => {
  test.each(vectors.bodies)('$what', ({ hex, signature }) => {
    const body = Buffer.from(hex, 'hex');
    expect(signBody(SECRET, body, TIMESTAMP)).toBe(signature);
    const text = body.toString();
    if (Buffer.from(text).equals(body)) expect(signBody(SECRET, text, TIMESTAMP)).toBe(signature);
    const signed = { secrets: ['newer', SECRET], timestamp: TIMESTAMP, signature };
    expect(verifyBody(signed, body)).toBe(true);
    expect(verifyBody(signed, `${text} `)).toBe(false);
  });

  test.each(['', 'short', '####', 'é'.repeat(44)])(
    'a signature %j is wrong and does not throw',
    (signature) => {
      expect(verifyBody({ secrets: [SECRET], timestamp: TIMESTAMP, signature }, '{}')).toBe(false);
    },
  );
});

describe('timestamps', () => {
  test.each(vectors.timestamps.equal)('%s', (text) => {
    expect(parseTimestamp(text)).toBe(vectors.timestamps.seconds * 1_000);
  });

  test.each(vectors.timestamps.invalid)('%j is no full date-time', (text) => {
    expect(parseTimestamp(text)).toBeNaN();
  });
});
