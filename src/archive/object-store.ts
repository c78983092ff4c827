import type { Archive } from './types';

export interface Bucket {
  place: string;
  bucket: string;
  prefix: string;
  endpoint?: string | undefined;
  limitMs: number;
}

/**
 * A bucket of Amazon S3, or of a server with the same interface. Region and credentials come from where the AWS SDK finds
 * them: the variables AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine.
 */
export async function openObjectStore({
  place,
  bucket,
  prefix,
  endpoint,
  limitMs,
}: Bucket): Promise<Archive> {
  // Its warning about the version of Node names nothing that a person at a command has to do.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  // It takes 20 MB of memory, and most installations use a folder.
  const { S3Client, GetObjectCommand, HeadObjectCommand, PutObjectCommand, paginateListObjectsV2, NotFound } =
    await import('@aws-sdk/client-s3');
  // Other servers often have no name for each bucket.
  const other = endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: 'us-east-1' };
  // The SDK has none. A store that does not answer would hold up a worker that stops.
  const limits = { connectionTimeout: limitMs, requestTimeout: limitMs, socketTimeout: limitMs };
  const requestHandler = { ...limits, throwOnRequestTimeout: true };
  const client = new S3Client({ ...other, maxAttempts: 2, requestHandler });
  const under = prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`;
  const named = (file: string): { Bucket: string; Key: string } => ({ Bucket: bucket, Key: under + file });
  return {
    place,
    async has(file) {
      try {
        await client.send(new HeadObjectCommand(named(file)));
        return true;
      } catch (error) {
        if (error instanceof NotFound) return false;
        throw error;
      }
    },
    async write(file, bytes) {
      await client.send(
        new PutObjectCommand({ ...named(file), Body: bytes, ContentType: 'application/gzip' }),
      );
    },
    async read(file) {
      const { Body } = await client.send(new GetObjectCommand(named(file)));
      if (Body === undefined) throw new Error(`${file} is empty`);
      return Buffer.from(await Body.transformToByteArray());
    },
    async *list(from) {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: under + from });
      for await (const { Contents = [] } of pages)
        for (const { Key } of Contents) if (Key !== undefined) yield Key.slice(under.length);
    },
  };
}
