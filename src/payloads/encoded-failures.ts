import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves a failure's message and stack, which Temporal keeps in the clear, into a payload, which the codec encrypts.
 * Loaded by its path, in workers and in the workflows' bundle.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
