import type { DataConverter } from '@temporalio/common';
import { createPayloadCodec } from './codec';
import type { PayloadKeys } from './keys';

export const FAILURE_CONVERTER_PATH = require.resolve('./encoded-failures');
export const WORKFLOW_PAYLOADS_PATH = require.resolve('./workflow-payloads');

/** Whether this process encrypts what it writes. It may decrypt even if this is false. */
export function encrypts({ keys }: PayloadKeys): boolean {
  return keys.length > 0;
}

/** The data converter of every Temporal client and worker. */
export function dataConverterOf(keys: PayloadKeys): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(keys)],
    ...(encrypts(keys) ? { failureConverterPath: FAILURE_CONVERTER_PATH } : {}),
  };
}
