import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';

/* The protocol of Temporal's remote codecs: payloads are protobuf messages as JSON, with bytes in base64. */

const base64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/);
const MAX_PAYLOADS = 10_000;

const body = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), base64).optional(), data: base64.optional() }))
    .max(MAX_PAYLOADS)
    .default([]),
});

export type CodecStep = keyof PayloadCodec;

/** Encodes or decodes the payloads of a request. Undefined if the request is malformed. */
export async function carriedOut(
  codec: PayloadCodec,
  step: CodecStep,
  raw: string,
): Promise<object | undefined> {
  const payloads = payloadsIn(raw);
  if (payloads === undefined) return undefined;
  return { payloads: (await codec[step](payloads)).map(written) };
}

function payloadsIn(raw: string): Payload[] | undefined {
  try {
    return body.parse(JSON.parse(raw)).payloads.map(({ metadata = {}, data = '' }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
      ),
      data: Buffer.from(data, 'base64'),
    }));
    // eslint-disable-next-line no-restricted-syntax -- the caller responds with 400
  } catch {
    return undefined;
  }
}

function written({ metadata, data }: Payload): object {
  const names = Object.entries(metadata ?? {});
  return {
    metadata: Object.fromEntries(names.map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
    data: Buffer.from(data ?? []).toString('base64'),
  };
}
