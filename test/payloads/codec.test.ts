import { createHmac, createDecipheriv } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { UnreadablePayloadError } from '../../src/contracts/payloads';
import { createPayloadCodec } from '../../src/payloads/codec';
import { readPayloadKeys, type PayloadKey } from '../../src/payloads/keys';

const key = (id: string, fill = id.charCodeAt(0)): PayloadKey => ({ id, secret: Buffer.alloc(32, fill) });
const [K1, K2] = [key('k1', 1), key('k2', 2)];
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = (read: Payload): unknown => defaultPayloadConverter.fromPayload(read);
const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

const codec = (keys: PayloadKey[], readKeys: PayloadKey[] = []) => createPayloadCodec({ keys, readKeys });

async function encrypted(by: PayloadKey, value: unknown): Promise<Payload> {
  const [made] = await codec([by]).encode([payload(value)]);
  return made!;
}

test('what is encrypted reads back, whatever it is', async () => {
  const values = [{ stake: 250 }, 'é', null, undefined, '', [], new Uint8Array([0, 255])];
  const made = await codec([K1]).encode(values.map(payload));
  expect(made).toHaveLength(values.length);
  expect((await codec([K1]).decode(made)).map(valueOf)).toEqual(values);
  expect(await codec([K1]).encode([])).toEqual([]);
});

test('only the id of the key is in the clear', async () => {
  const made = await encrypted(K1, { player: 'alice' });
  const metadata = Object.entries(made.metadata ?? {}).map(([name, value]) => [name, textOf(value)]);
  expect(Object.fromEntries(metadata)).toEqual({
    encoding: 'binary/encrypted',
    'encryption-cipher': 'hkdf-sha256/aes-256-gcm',
    'encryption-key-id': 'k1',
  });
  expect(textOf(made.data)).not.toContain('alice');
});

test('the same twice is never the same twice', async () => {
  const [one, two] = [await encrypted(K1, 1), await encrypted(K1, 1)];
  expect(Buffer.from(one.data!).subarray(0, 32).equals(Buffer.from(two.data!).subarray(0, 32))).toBe(false);
  expect(textOf(one.data)).not.toBe(textOf(two.data));
});

/** HKDF by its definition (RFC 5869), so that another implementation could read what this one wrote. */
function hkdf(secret: Buffer, salt: Buffer, info: string, length: number): Buffer {
  const pseudorandom = createHmac('sha256', salt).update(secret).digest();
  let [block, all] = [Buffer.alloc(0), Buffer.alloc(0)];
  for (let count = 1; all.length < length; count += 1) {
    block = createHmac('sha256', pseudorandom)
      .update(block)
      .update(info)
      .update(Buffer.from([count]))
      .digest();
    all = Buffer.concat([all, block]);
  }
  return all.subarray(0, length);
}

test('the format is the documented one', async () => {
  const data = Buffer.from((await encrypted(K1, 'x')).data!);
  const bytes = hkdf(K1.secret, data.subarray(0, 32), 'hkdf-sha256/aes-256-gcm', 44);
  const decipher = createDecipheriv('aes-256-gcm', bytes.subarray(0, 32), bytes.subarray(32), {
    authTagLength: 16,
  });
  decipher.setAAD(Buffer.from('k1')).setAuthTag(data.subarray(-16));
  const plain = Buffer.concat([decipher.update(data.subarray(32, -16)), decipher.final()]);
  expect(valueOf(temporal.api.common.v1.Payload.decode(plain))).toBe('x');
});

test('the newest key encrypts, the others and the keys for reading decrypt', async () => {
  const old = await encrypted(K1, 'old');
  const [now] = await codec([K2, K1]).encode([payload('now')]);
  expect(textOf(now?.metadata?.['encryption-key-id'])).toBe('k2');
  expect((await codec([K2, K1]).decode([old, now!])).map(valueOf)).toEqual(['old', 'now']);
  expect((await codec([K2], [K1]).decode([old])).map(valueOf)).toEqual(['old']);
});

test('without a key to write with, nothing is encrypted, and what was is still read', async () => {
  const off = codec([], [K1]);
  const plain = payload('plain');
  expect(await off.encode([plain])).toEqual([plain]);
  expect((await off.decode([plain, await encrypted(K1, 'old')])).map(valueOf)).toEqual(['plain', 'old']);
});

test('what was written in the clear is read as it is', async () => {
  const plain = payload({ from: 'before' });
  expect(await codec([K1]).decode([plain])).toEqual([plain]);
});

describe('what cannot be read is an error that says why', () => {
  const read = (keys: PayloadKey[], what: Payload) => codec(keys).decode([what]);

  test('an unknown key', async () => {
    const error = await read([K2], await encrypted(K1, 1)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadablePayloadError);
    expect(String(error)).toContain('"k1", which is in neither PAYLOAD_KEYS nor PAYLOAD_READ_KEYS');
  });

  test('another key of the same id', async () => {
    const error = await read([key('k1', 9)], await encrypted(K1, 1)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadablePayloadError);
    expect(String(error)).toContain('does not open with the key "k1"');
  });

  test.each([0, 31, 32, 40, -1])('a changed byte at %i', async (at) => {
    const made = await encrypted(K1, { amount: 100 });
    const data = Buffer.from(made.data!);
    const position = at < 0 ? data.length + at : at;
    data[position]! ^= 1;
    await expect(read([K1], { ...made, data })).rejects.toThrow(UnreadablePayloadError);
  });

  test('a payload given out as another key’s', async () => {
    const made = await encrypted(K1, 1);
    const relabelled = { ...made, metadata: { ...made.metadata, 'encryption-key-id': Buffer.from('k2') } };
    const sameSecret = { ...K1, id: 'k2' };
    await expect(read([sameSecret], relabelled)).rejects.toThrow(UnreadablePayloadError);
  });

  test('too short, or of another cipher', async () => {
    const made = await encrypted(K1, 1);
    await expect(read([K1], { ...made, data: Buffer.alloc(47) })).rejects.toThrow(UnreadablePayloadError);
    const other = { ...made, metadata: { ...made.metadata, 'encryption-cipher': Buffer.from('rot13') } };
    await expect(read([K1], other)).rejects.toThrow(/"rot13"/);
  });
});

describe('the list of keys', () => {
  const [a, b] = [K1.secret.toString('base64'), K2.secret.toString('base64')];

  test('is id:base64, newest first', () => {
    expect(readPayloadKeys(`k1:${a}, 2026-11:${b.replace('=', '')}`)).toEqual([
      K1,
      { id: '2026-11', secret: K2.secret },
    ]);
  });

  test.each(['', a, `:${a}`, `k 1:${a}`, 'k1:c2hvcnQ=', `k1:${a},`, `k1:${a}x`, `k1:${a}:k2`])(
    'is refused: %s',
    (text) => expect(readPayloadKeys(text)).toBeUndefined(),
  );
});
