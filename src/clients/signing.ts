import { createHmac } from 'node:crypto';

/**
 * Signature of the operator API and of calls to a provider (docs/interface#sign-fields): base64 of an HMAC-SHA256 over
 * the fields joined with `#`; the secret is the key and the first field.
 */
export function signFields(
  secret: string,
  authId: string,
  timestamp: string,
  fields: readonly string[],
): string {
  const message = [secret, authId, timestamp, ...fields].join('#');
  return createHmac('sha256', secret).update(message, 'utf8').digest('base64');
}
