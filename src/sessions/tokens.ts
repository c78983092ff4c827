import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits, base64url. Handed out once and kept by its holder only. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The name under which a token is kept: SHA-256 in hex. With 256 random bits behind it, no salt is needed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Anything else was never a token of ours and needs no look-up. */
export function looksLikeToken(text: string): boolean {
  return TOKEN_FORM.test(text);
}
