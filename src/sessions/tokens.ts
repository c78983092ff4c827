import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits in base64url. The token itself is never stored. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The id under which a session is stored: SHA-256 of the token in hex. 256 random bits need no salt. */
export function tokenHash(token: string): string {
  return hash('sha256', token);
}

/** Any other text was never a token, so it needs no lookup. */
export function looksLikeToken(text: string): boolean {
  return TOKEN_FORM.test(text);
}
