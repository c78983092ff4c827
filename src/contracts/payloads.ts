/**
 * This process cannot decrypt a payload from Temporal: it does not know the key with this id, or has another key under the
 * same id. The round itself is fine; a process with the right key can read it.
 */
export class UnreadablePayloadError extends Error {
  override readonly name = 'UnreadablePayloadError';
}

/** The type of a Temporal failure that was made from this error. */
export const UNREADABLE_PAYLOAD = 'UnreadablePayloadError';
