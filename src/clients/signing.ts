import { createHmac } from 'node:crypto';

/**
 * The signature of calls to operators and providers (docs/interface#sign-fields): base64 of an HMAC-SHA256 over the fields
 * joined with `#`. The secret is the key and also the first field.
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
