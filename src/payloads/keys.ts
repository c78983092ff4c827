/** A key that encrypts payloads. */
export interface PayloadKey {
  /** Stored unencrypted with every payload. */
  id: string;
  /** 32 bytes. */
  secret: Buffer;
}

/** Newest first. Without any keys, payloads stay unencrypted. */
export interface PayloadKeys {
  /** The first key encrypts, all keys decrypt. */
  keys: readonly PayloadKey[];
  /** These keys only decrypt. */
  readKeys: readonly PayloadKey[];
}

/** The key size of AES-256. */
export const KEY_BYTES = 32;
const KEY = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+={0,2})$/;

/** Reads `id:base64,id:base64`. Undefined if the text is malformed. */
export function readPayloadKeys(text: string): PayloadKey[] | undefined {
  const keys = text.split(',').map((entry) => {
    const [, id = '', base64 = ''] = KEY.exec(entry.trim()) ?? [];
    const secret = readKey(base64);
    return secret && { id, secret };
  });
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/** 32 bytes from base64, with or without padding; undefined for anything else. */
export function readKey(base64: string): Buffer | undefined {
  const key = Buffer.from(base64, 'base64');
  const isWhole =
    key.length === KEY_BYTES && withoutPadding(key.toString('base64')) === withoutPadding(base64);
  return isWhole ? key : undefined;
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}
