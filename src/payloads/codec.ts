import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { UnreadablePayloadError } from '../contracts/payloads';
import type { PayloadKey, PayloadKeys } from './keys';

const ALGORITHM = 'aes-256-gcm';
const CIPHER = 'hkdf-sha256/aes-256-gcm';
const ENCODING = 'binary/encrypted';
const SALT_BYTES = 32;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const text = (value: string): Uint8Array => Buffer.from(value, 'utf8');
const textOf = (value: Uint8Array | null | undefined): string => Buffer.from(value ?? []).toString('utf8');

/**
 * Encrypts payloads for Temporal with the newest key, and decrypts payloads of any known key. It leaves unencrypted payloads
 * as they are, so encryption can be turned on and off while rounds run.
 *
 * An encrypted payload's data is a random salt of 32 bytes, the ciphertext and a tag of 16 bytes. HKDF with SHA-256 derives
 * key and nonce of AES-256-GCM from the salt, so no nonce is used twice. With random nonces of 12 bytes a key would be safe
 * for 2^32 payloads only, which a busy service has in weeks.
 */
export function createPayloadCodec({ keys, readKeys }: PayloadKeys): PayloadCodec {
  const [newest] = keys;
  const byId = new Map([...readKeys, ...keys].map((key) => [key.id, key]));
  return {
    encode: (payloads) =>
      promisify(() =>
        newest === undefined ? payloads : payloads.map((payload) => encrypt(newest, payload)),
      ),
    decode: (payloads) => promisify(() => payloads.map((payload) => decrypt(byId, payload))),
  };
}

/** Turns a thrown error into a rejection. */
async function promisify<T>(run: () => T): Promise<T> {
  return Promise.resolve().then(run);
}

function encrypt({ id, secret }: PayloadKey, payload: Payload): Payload {
  const salt = randomBytes(SALT_BYTES);
  const { key, iv } = derived(secret, salt);
  const plain = temporal.api.common.v1.Payload.encode(payload).finish();
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(text(id));
  return {
    metadata: {
      encoding: text(ENCODING),
      'encryption-cipher': text(CIPHER),
      'encryption-key-id': text(id),
    },
    data: Buffer.concat([salt, cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
  };
}

function decrypt(byId: ReadonlyMap<string, PayloadKey>, payload: Payload): Payload {
  const { metadata, data } = payload;
  if (textOf(metadata?.['encoding']) !== ENCODING) return payload;
  const cipherName = textOf(metadata?.['encryption-cipher']);
  if (cipherName !== CIPHER)
    throw new UnreadablePayloadError(`a payload is encrypted with ${quoted(cipherName)}`);
  const id = textOf(metadata?.['encryption-key-id']);
  const known = byId.get(id);
  if (known === undefined) {
    throw new UnreadablePayloadError(
      `a payload is encrypted with the key ${quoted(id)}, which is in neither PAYLOAD_KEYS nor PAYLOAD_READ_KEYS`,
    );
  }
  try {
    return temporal.api.common.v1.Payload.decode(opened(known, Buffer.from(data ?? [])));
  } catch {
    throw new UnreadablePayloadError(
      `a payload does not open with the key ${quoted(id)}: that key is another one, or the payload was changed`,
    );
  }
}

function opened({ id, secret }: PayloadKey, data: Buffer): Uint8Array {
  if (data.length < SALT_BYTES + TAG_BYTES) throw new Error('too short');
  const { key, iv } = derived(secret, data.subarray(0, SALT_BYTES));
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(text(id))
    .setAuthTag(data.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(data.subarray(SALT_BYTES, -TAG_BYTES)), decipher.final()]);
}

function derived(secret: Buffer, salt: Buffer): { key: Buffer; iv: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, CIPHER, KEY_BYTES + IV_BYTES));
  return { key: bytes.subarray(0, KEY_BYTES), iv: bytes.subarray(KEY_BYTES) };
}

/** Quotes an id from outside for an error text. */
function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 64));
}
