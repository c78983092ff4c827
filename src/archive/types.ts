/** Where exported histories are kept: a folder, or a bucket of an object store. A file has a name such as `ab/….json.gz`. */
export interface Archive {
  /** For people: the folder, or `s3://bucket/prefix`. */
  place: string;
  has(file: string): Promise<boolean>;
  /** The file appears whole, and is stored when this returns. */
  write(file: string, bytes: Uint8Array): Promise<void>;
  read(file: string): Promise<Buffer>;
  /** The names that begin with the prefix, sorted. */
  list(prefix: string): AsyncIterable<string>;
}
