import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzipped = promisify(gunzip);

/** A run of a workflow. */
export interface NamedRun {
  workflowId: string;
  runId: string;
}

/** An id may be any text, since a person can start a workflow. Its file stays in the archive, under a name without dots. */
export function plain(id: string): string {
  return encodeURIComponent(id).replace(/[^\w%-]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}

/** A workflow's id is the kind of the workflow and the round's hash. */
function hashIn(workflowId: string): string {
  return workflowId.replace(/^[a-z]+-/, '');
}

/** The name of a run's file: in a subfolder by the first characters of the round's hash, since there may be very many. */
export function fileOf({ workflowId, runId }: NamedRun): string {
  return `${prefixOf(workflowId)}${plain(runId)}.json.gz`;
}

/** The beginning of the names of all runs of a workflow. */
export function prefixOf(workflowId: string): string {
  return `${plain(hashIn(workflowId).slice(0, 2))}/${plain(workflowId)}.`;
}

export interface ArchiveFile {
  file: string;
  /** The run that the file's name says, if it is a name that fileOf has made. */
  named?: NamedRun;
}

const HISTORY_FILE = /\.json(\.gz)?$/;
const OF_A_RUN = /([^/]+)\.([0-9a-f-]{36})\.json\.gz$/;

/** Undefined if the file is not an exported history. */
export function readHistoryFile(file: string): ArchiveFile | undefined {
  if (!HISTORY_FILE.test(file)) return undefined;
  const [, workflowId, runId] = OF_A_RUN.exec(file) ?? [];
  return workflowId === undefined || runId === undefined ? { file } : { file, named: { workflowId, runId } };
}

/** The text in a file, which may be compressed. */
export async function textIn(file: string, bytes: Buffer): Promise<string> {
  return (file.endsWith('.gz') ? await unzipped(bytes) : bytes).toString('utf8');
}
