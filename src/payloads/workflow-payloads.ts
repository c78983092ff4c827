import {
  CompositePayloadConverter,
  JsonPayloadConverter,
  UndefinedPayloadConverter,
  type Payload,
  type PayloadConverter,
  type SerializationContext,
} from '@temporalio/common';

/** Replaces an argument that can't be read. It is a string, so it is never a valid command. */
export const UNREADABLE = 'a payload that can not be read';

const converter = new CompositePayloadConverter(new UndefinedPayloadConverter(), new JsonPayloadConverter());

/**
 * Reads payloads in workflows. A person may send a signal from Temporal Web or the CLI in another encoding or as malformed
 * JSON. An error would fail the workflow task, which Temporal retries for ever, so the argument becomes UNREADABLE and the
 * round refuses the signal. For payloads of activities an error is right. The workflow bundle loads this module by its path.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => converter.toPayload(value),
  fromPayload<T>(payload: Payload, context?: SerializationContext): T {
    try {
      return converter.fromPayload<T>(payload);
    } catch (error) {
      if (context?.type !== 'workflow') throw error;
      return UNREADABLE as T;
    }
  },
};
