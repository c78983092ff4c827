import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

/** More than the service accepts: a reconciliation sends a long round again in one call. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

export function readBody(request: IncomingMessage): Promise<Buffer> {
  return getRawBody(request, { limit: BODY_LIMIT_BYTES });
}

/** Undefined if the text is not JSON. */
export function parseJson(raw: Buffer | string): unknown {
  try {
    return JSON.parse(raw.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** The header's value. Undefined if the header is missing, empty or repeated. */
export function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name.toLowerCase()];
  return values?.length === 1 && values[0] !== '' ? values[0] : undefined;
}
