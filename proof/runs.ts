import { basename } from 'node:path';
import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { workflowIdOf, type GameroundStart } from '../src/contracts/gameround';
import { reconcileWorkflowIdOf } from '../src/contracts/reconcile';
import type { Archive } from '../src/archive/types';
import { historyFromText } from '../src/archive/history-text';
import { plain, readHistoryFile, textIn, type ArchiveFile } from '../src/archive/names';
import { factsOf, resetIn, type Fact, type History } from '../src/histories/facts';

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

/** The runs in an archive of exported histories whose names begin with the prefix. Those that are not `wanted` are not read. */
export async function* runsInArchive(
  archive: Archive,
  codec: PayloadCodec,
  prefix: string,
  isWanted: (file: ArchiveFile) => boolean | Promise<boolean> = () => true,
): AsyncIterable<Run> {
  for await (const name of archive.list(prefix)) {
    const found = readHistoryFile(name);
    if (found === undefined || !(await isWanted(found))) continue;
    const { file, named = { workflowId: basename(name).replace(/\.json(\.gz)?$/, ''), runId: '' } } = found;
    const run = await runOf(
      named,
      async () => historyFromText(await textIn(file, await archive.read(file))),
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

/** Whose history it is, if not of the workflow under whose name it was found: a file can be renamed, and a start forged. */
function otherThan(found: string, said: string, [started]: readonly Fact[]): string | undefined {
  const start = started?.is === 'started' ? started.args[0] : undefined;
  const { gameround } = Object((Object(start) as Partial<GameroundStart>).identity) as {
    gameround?: unknown;
  };
  const begun =
    typeof gameround === 'string'
      ? workflowIdOf(gameround)
      : typeof start === 'string' && said.startsWith(reconcileWorkflowIdOf(''))
        ? reconcileWorkflowIdOf(start)
        : said;
  // A file may have a name that says nothing, and an older server does not write the id into the history.
  const saysId = [workflowIdOf(''), reconcileWorkflowIdOf('')].some((prefix) => found.startsWith(prefix));
  const isFound = !saysId || [begun, plain(begun)].some((id) => found.startsWith(id));
  return isFound && (said === '' || said === begun) ? undefined : begun;
}

/** The SDK gives no result for some histories that have another form. */
function checkForm({ events }: History): void {
  if (!events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name)
    throw new Error('the history does not begin with the start of a workflow and its type');
  const odd = events.findIndex(({ eventId }, index) => Number(eventId) !== index + 1);
  if (odd >= 0) throw new Error(`event ${String(events[odd]?.eventId)} is in the place of event ${odd + 1}`);
}

async function runOf(
  named: Pick<Run, 'workflowId' | 'runId'>,
  read: () => Promise<History>,
  codec: PayloadCodec,
): Promise<Run> {
  try {
    const history = await read();
    checkForm(history);
    const said = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
    const facts = await factsOf(history, codec);
    const other = otherThan(named.workflowId, said, facts);
    if (other !== undefined) throw new Error(`it is that of ${other}, not of ${named.workflowId}`);
    return { ...named, history, facts };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...named, facts: [], unreadable: `the history can't be read: ${reason}` };
  }
}
