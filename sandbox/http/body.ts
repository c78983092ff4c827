import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

/** A reconcile resends a long round in one call, so this is more than what the service itself takes. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

export function readBody(request: IncomingMessage): Promise<Buffer> {
  return getRawBody(request, { limit: BODY_LIMIT_BYTES });
}

/** Undefined where it is no JSON. */
export function parseJson(raw: Buffer | string): unknown {
  try {
    return JSON.parse(raw.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** A header that came exactly once and not empty; anything else is as good as none. */
export function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name.toLowerCase()];
  return values?.length === 1 && values[0] !== '' ? values[0] : undefined;
}
