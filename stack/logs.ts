import {
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname } from 'node:path';

const MAX_LOG_BYTES = 32 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const LINE_CHARS = 400;

/** Returns a descriptor for appending, which the caller closes. Rotates a log that is too long first. */
export function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  rotateLog(file);
  return openSync(file, 'a', 0o600);
}

/**
 * Moves the content of a log that is longer than `maxBytes` to `<file>.1`. The file is copied and truncated instead of
 * renamed, because a running child has it open. The child appends, so it continues at the new end.
 */
export function rotateLog(file: string, maxBytes = MAX_LOG_BYTES): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}

/** The last lines of a log, each cut to a readable length. */
export function tailOf(file: string, lines = 10): string[] {
  const fd = openSync(file, 'r');
  try {
    const size = fstatSync(fd).size;
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    const all = buffer.toString('utf8').split('\n');
    return all
      .filter((line) => line.trim() !== '')
      .map((line) => line.slice(0, LINE_CHARS))
      .slice(-lines);
  } finally {
    closeSync(fd);
  }
}
