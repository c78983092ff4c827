import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { workflowIdOf } from '../src/contracts/gameround';
import { historyFromText } from './history-text';
import { factsOf, resetIn, type Fact, type History } from './events';

/** A run of a workflow with its history. */
export interface Run {
  workflowId: string;
  runId: string;
  /** The file that it was read from. */
  file?: string;
  /** Absent if it can't be read; `unreadable` says why. */
  history?: History;
  facts: Fact[];
  unreadable?: string;
  /** Reads it from the server again. Absent for a file. */
  again?: () => Promise<Run>;
}

/** The hash of a round's run. A file that can't be read may have another name than its round, so its name is shown instead. */
export function gameroundOf({ workflowId, file }: Pick<Run, 'workflowId' | 'file'>): string {
  const prefix = workflowIdOf('');
  return workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : (file ?? workflowId);
}

/** So many histories are fetched ahead. A history has at most some 16 MiB (workflows/policies.ts). */
const AHEAD = 6;

/** Whether a run has to be read. */
export type Wanted = (named: Pick<Run, 'workflowId' | 'runId'>) => Promise<boolean>;

/** The runs that a visibility query finds, newest first. Those that are not `wanted` are not read. */
export async function* runsOnServer(
  client: Client,
  query: string,
  codec: PayloadCodec,
  wanted: Wanted = () => Promise.resolve(true),
): AsyncIterable<Run> {
  const ahead: Promise<Run | undefined>[] = [];
  const read = async (named: { workflowId: string; runId: string }): Promise<Run | undefined> =>
    (await wanted(named)) ? runOnServer(client, named, codec) : undefined;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    ahead.push(read({ workflowId, runId }));
    const oldest = ahead.length > AHEAD ? await ahead.shift() : undefined;
    if (oldest !== undefined) yield oldest;
  }
  for (const next of ahead) {
    const run = await next;
    if (run !== undefined) yield run;
  }
}

export async function runOnServer(
  client: Client,
  named: { workflowId: string; runId: string },
  codec: PayloadCodec,
): Promise<Run> {
  const { workflowId, runId } = named;
  const handle = client.workflow.getHandle(workflowId, runId);
  const run = await runOf(named, () => handle.fetchHistory(), codec);
  return { ...run, again: () => runOnServer(client, named, codec) };
}

const HISTORY_FILE = /\.json(\.gz)?$/;
const unzipped = promisify(gunzip);

/** The runs in a folder of exported histories, also in its subfolders. */
export async function* runsInFolder(
  folder: string,
  codec: PayloadCodec,
  isWanted: (file: string) => boolean = () => true,
): AsyncIterable<Run> {
  const names = await readdir(folder, { recursive: true });
  for (const file of names.filter((name) => HISTORY_FILE.test(name) && isWanted(name)).sort()) {
    const named = { workflowId: basename(file).replace(HISTORY_FILE, ''), runId: '' };
    const run = await runOf(
      named,
      async () => {
        const bytes = await readFile(join(folder, file));
        return historyFromText((file.endsWith('.gz') ? await unzipped(bytes) : bytes).toString('utf8'));
      },
      codec,
    );
    yield { ...run, file, ...namesIn(run) };
  }
}

/** The ids that a history says. A run that a reset has made begins with the events of the run before. */
function namesIn({ history, workflowId, runId }: Run): Pick<Run, 'workflowId' | 'runId'> {
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const reset = history && resetIn(history);
  return {
    workflowId: started?.workflowId || workflowId,
    runId: reset?.runId || started?.originalExecutionRunId || runId,
  };
}

async function runOf(
  named: Pick<Run, 'workflowId' | 'runId'>,
  read: () => Promise<History>,
  codec: PayloadCodec,
): Promise<Run> {
  try {
    const history = await read();
    if (!history.events?.[0]?.workflowExecutionStartedEventAttributes)
      throw new Error('the history does not begin with the start of a workflow');
    return { ...named, history, facts: await factsOf(history, codec) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...named, facts: [], unreadable: `the history can't be read: ${reason}` };
  }
}
