/** A key that payloads are encrypted with. */
export interface PayloadKey {
  /** Stands in the clear with every payload. */
  id: string;
  /** 32 bytes. */
  secret: Buffer;
}

/** Newest first. With neither, payloads stay in the clear. */
export interface PayloadKeys {
  /** The first encrypts, all decrypt. */
  keys: readonly PayloadKey[];
  /** Only decrypt. */
  readKeys: readonly PayloadKey[];
}

/** Of AES-256. */
export const KEY_BYTES = 32;
const KEY = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+={0,2})$/;

/** From `id:base64,id:base64`. Undefined when it is not of that form. */
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
