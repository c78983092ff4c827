import {
  CompositePayloadConverter,
  JsonPayloadConverter,
  UndefinedPayloadConverter,
  type Payload,
  type PayloadConverter,
  type SerializationContext,
} from '@temporalio/common';

/** Is in place of an argument that can't be read. It is no object, so no command. */
export const UNREADABLE = 'a payload that can not be read';

const converter = new CompositePayloadConverter(new UndefinedPayloadConverter(), new JsonPayloadConverter());

/**
 * Reads what a person sends to a round: Temporal Web and the CLI offer encodings that the round can't read, or JSON that is none.
 * An error would fail the task, which Temporal then retries for ever: the round must get to refuse the signal. What comes
 * from activities is ours, and an error there is right. Loaded by its path in the workflows' bundle.
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
