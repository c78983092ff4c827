import { existsSync } from 'node:fs';
import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Append-only file of JSON lines. `append` resolves after the fsync that covers the entry. Entries that arrive together share
 * one fsync. Without a path nothing is stored.
 */
export class Journal<Entry> {
  private pending: string[] = [];
  private flushing: Promise<void> | undefined;
  private failure: Error | undefined;

  private constructor(private readonly file: FileHandle | undefined) {}

  static async open<Entry>(path: string | undefined): Promise<{ journal: Journal<Entry>; entries: Entry[] }> {
    if (path === undefined) return { journal: new Journal<Entry>(undefined), entries: [] };
    await makeFolder(dirname(path));
    const content = await readIfThere(path);
    // A process that dies while writing leaves an incomplete line. Its call was not answered, so the line is removed.
    const complete = content.lastIndexOf('\n') + 1;
    const file = await open(path, 'a');
    if (complete < content.length) await file.truncate(complete);
    return { journal: new Journal<Entry>(file), entries: parseLines<Entry>(content.subarray(0, complete)) };
  }

  /**
   * Resolves when the given and all earlier entries are on disk, also without an entry: an answer must not show a state that a
   * crash could undo.
   */
  async append(...entries: Entry[]): Promise<void> {
    if (this.file === undefined) return;
    if (this.failure !== undefined) throw this.failure;
    this.pending.push(...entries.map((entry) => `${JSON.stringify(entry)}\n`));
    while (this.pending.length > 0 || this.flushing !== undefined) {
      this.flushing ??= this.flush(this.file).finally(() => (this.flushing = undefined));
      await this.flushing;
    }
  }

  async close(): Promise<void> {
    await this.append().catch(() => undefined);
    await this.file?.close();
  }

  private async flush(file: FileHandle): Promise<void> {
    const lines = this.pending.join('');
    this.pending = [];
    try {
      await file.writeFile(lines);
      await file.datasync();
    } catch (error) {
      // The books in memory are now ahead of the disk. All further calls fail until a restart reads the disk.
      this.failure = error as Error;
      throw error;
    }
  }
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Parses line by line, since the whole file can be longer than the longest possible string. */
function parseLines<Entry>(content: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let start = 0; start < content.length;) {
    const end = content.indexOf('\n', start);
    entries.push(JSON.parse(content.toString('utf8', start, end)) as Entry);
    start = end + 1;
  }
  return entries;
}

/** Node's `recursive` never returns if the system reports a missing parent for a new folder, as for `/proc/x`. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new Error(`DATA_DIR: ${folder} can't be made (${error.code})`);
  });
}
