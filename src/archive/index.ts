import { openFolder } from './folder';
import { openObjectStore } from './object-store';
import type { Archive } from './types';

const IN_STORE = /^s3:\/\/([^/]+)\/?(.*)$/;

/** Two tries of a call end before an attempt of the export counts as dead (workflows/policies.ts). */
const LIMIT_MS = 15_000;

/**
 * @param endpoint of an S3-compatible server; absent: AWS
 * @param limitMs after so long without an answer a call rejects
 */
export async function openArchive(place: string, endpoint?: string, limitMs = LIMIT_MS): Promise<Archive> {
  const [, bucket, prefix = ''] = IN_STORE.exec(place) ?? [];
  return bucket === undefined
    ? openFolder(place, limitMs)
    : openObjectStore({ place, bucket, prefix, endpoint, limitMs });
}
