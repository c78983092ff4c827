import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves the message and stack of a failure, which Temporal stores unencrypted, into a payload, which the codec encrypts.
 * Workers and the workflow bundle load this module by its path.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
