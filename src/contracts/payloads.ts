/**
 * What came from Temporal can't be read here: the key that it names is not known to this process, or is another one of
 * the same name. Nothing is wrong with the round; a process with the right key reads it.
 */
export class UnreadablePayloadError extends Error {
  override readonly name = 'UnreadablePayloadError';
}

/** The type of a failure that such an error has become on its way. */
export const UNREADABLE_PAYLOAD = 'UnreadablePayloadError';
