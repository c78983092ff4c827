import type { DataConverter } from '@temporalio/common';
import { createPayloadCodec } from './codec';
import type { PayloadKeys } from './keys';

export const FAILURE_CONVERTER_PATH = require.resolve('./encoded-failures');
export const WORKFLOW_PAYLOADS_PATH = require.resolve('./workflow-payloads');

/** Whether what this process writes is encrypted; reading is another matter. */
export function encrypts({ keys }: PayloadKeys): boolean {
  return keys.length > 0;
}

/** What every client and worker of Temporal gets, so that all read the same. */
export function dataConverterOf(keys: PayloadKeys): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(keys)],
    ...(encrypts(keys) ? { failureConverterPath: FAILURE_CONVERTER_PATH } : {}),
  };
}
