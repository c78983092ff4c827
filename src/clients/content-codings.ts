import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

type Decode = (bytes: Buffer, bounds: { maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decode = promisify(zlib.unzip);
const inflateRaw: Decode = promisify(zlib.inflateRaw);

const CODINGS = new Map<string, Decode>([
  ['identity', (bytes) => Promise.resolve(bytes)],
  ['gzip', unzip],
  ['x-gzip', unzip],
  // It means zlib's format; some servers leave out zlib's head.
  ['deflate', (bytes, bounds) => unzip(bytes, bounds).catch(() => inflateRaw(bytes, bounds))],
  ['br', promisify(zlib.brotliDecompress)],
  // Node 20 has none.
  ...('zstdDecompress' in zlib
    ? [['zstd', promisify(zlib.zstdDecompress as typeof zlib.unzip)] as const]
    : []),
]);

/**
 * A reply's bytes without their content codings (RFC 9110 8.4), which some gateways apply unasked.
 * @throws where a coding is unknown, broken, or the content has more than that many bytes
 */
export async function decoded(bytes: Buffer, codings: string | undefined, most: number): Promise<Buffer> {
  let content = bytes;
  // The last one was applied last.
  for (const name of (codings ?? '').toLowerCase().split(',').reverse()) {
    if (name.trim() === '' || content.length === 0) continue;
    const decode = CODINGS.get(name.trim());
    if (decode === undefined)
      throw Object.assign(new Error('unknown content coding'), { code: 'CONTENTCODING' });
    content = await decode(content, { maxOutputLength: most });
  }
  return content;
}
