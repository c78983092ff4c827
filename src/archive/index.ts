import { openFolder } from './folder';
import { openObjectStore } from './object-store';
import type { Archive } from './types';

const IN_STORE = /^s3:\/\/([^/]+)\/?(.*)$/;

/** @param endpoint of an S3-compatible server; absent: AWS */
export async function openArchive(place: string, endpoint?: string): Promise<Archive> {
  const [, bucket, prefix = ''] = IN_STORE.exec(place) ?? [];
  return bucket === undefined ? openFolder(place) : openObjectStore({ place, bucket, prefix, endpoint });
}
