import { existsSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { historyToText } from './history-text';
import { gameroundOf, type Run } from './runs';

const zipped = promisify(gzip);

/** The file of a run: in a subfolder by the first two characters of the round's hash, since there may be very many. */
export function exportFileOf(folder: string, run: Pick<Run, 'workflowId' | 'runId'>): string {
  return join(folder, gameroundOf(run).slice(0, 2), `${run.workflowId}.${run.runId}.json.gz`);
}

export function isExported(folder: string, run: Pick<Run, 'workflowId' | 'runId'>): boolean {
  return existsSync(exportFileOf(folder, run));
}

/** Writes the history of a run. The file appears whole, and is on the disk when this returns. Payloads stay encrypted. */
export async function exportRun(folder: string, run: Run): Promise<void> {
  if (run.history === undefined) throw new Error(run.unreadable);
  const file = exportFileOf(folder, run);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}.part`;
  const target = await open(aside, 'w', 0o600);
  try {
    await target.writeFile(await zipped(historyToText(run.history)));
    await target.sync();
  } finally {
    await target.close();
  }
  await rename(aside, file);
}
