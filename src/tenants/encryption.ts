import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets for MongoDB: `v1.<iv>.<tag>.<ciphertext>` in base64url. `owner` (kind and id of the tenant) is
 * authenticated, too, so that the secrets of one tenant can't be decrypted after they are copied to another tenant.
 */
export function encryptSecrets(key: Buffer, owner: string, secrets: readonly string[]): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner));
  const data = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
  return [VERSION, ...[iv, cipher.getAuthTag(), data].map((part) => part.toString('base64url'))].join('.');
}

/** Throws if the secrets were encrypted with another key or for another tenant, or were changed. */
export function decryptSecrets(key: Buffer, owner: string, encrypted: string): string[] {
  const [version, ...parts] = encrypted.split('.');
  const [iv, tag, data] = parts.map((part) => Buffer.from(part, 'base64url'));
  if (version !== VERSION || !iv || !tag || !data || parts.length !== 3) throw new Error('unknown format');
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  return JSON.parse(Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8')) as string[];
}
