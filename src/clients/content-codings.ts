import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

type Decode = (bytes: Buffer, bounds: { maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decode = promisify(zlib.unzip);
const inflateRaw: Decode = promisify(zlib.inflateRaw);

const CODINGS = new Map<string, Decode>([
  ['identity', (bytes) => Promise.resolve(bytes)],
  ['gzip', unzip],
  ['x-gzip', unzip],
  // `deflate` means the zlib format, but some servers omit the zlib header.
  // eslint-disable-next-line no-restricted-syntax -- the second attempt rejects with its own error
  ['deflate', (bytes, bounds) => unzip(bytes, bounds).catch(() => inflateRaw(bytes, bounds))],
  ['br', promisify(zlib.brotliDecompress)],
  // Node 20 has no zstd.
  ...('zstdDecompress' in zlib
    ? [['zstd', promisify(zlib.zstdDecompress as typeof zlib.unzip)] as const]
    : []),
]);

/**
 * Decodes the content codings of a reply (RFC 9110 8.4). Some gateways apply them although the service did not ask for it.
 * @throws if a coding is unknown or broken, or if the content has more than `most` bytes
 */
export async function decoded(bytes: Buffer, codings: string | undefined, most: number): Promise<Buffer> {
  let content = bytes;
  // Decode in reverse order: the last coding was applied last.
  for (const name of (codings ?? '').toLowerCase().split(',').reverse()) {
    if (name.trim() === '' || content.length === 0) continue;
    const decode = CODINGS.get(name.trim());
    if (decode === undefined)
      throw Object.assign(new Error('unknown content coding'), { code: 'CONTENTCODING' });
    content = await decode(content, { maxOutputLength: most });
  }
  return content;
}
