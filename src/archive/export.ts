import { setImmediate as otherWork } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { EXPORTED_TYPES, type HistorySource } from '../contracts/export';
import { TASK_QUEUE } from '../contracts/gameround';
import { eventsToText } from './history-text';
import { parseTimestamp } from '../domain/time';
import { PersonNeededError } from '../lifecycle';
import { fileOf, textIn, type NamedRun } from './names';
import type { Archive } from './types';

const zipped = promisify(gzip);

/** Few, so that the conversion of one page does not hold up the process. */
const EVENTS_PER_PAGE = 100;
const NOT_FOUND = 5;
/** The server does not say how long it keeps runs. */
const UNKNOWN_RETENTION_S = 90 * 24 * 3_600;

/**
 * Its text is the time until which all that has ended is in the archive, and the namespace whose runs these are. So an archive
 * that is new gets everything, and a second namespace does not take the time of the first one for its own.
 */
const MARK = 'exported-until.txt';

/** Reads the runs that have ended from the server, and writes their histories to the archive. Payloads stay encrypted. */
export function historySource(client: Client, archive: Archive, taskQueue = TASK_QUEUE): HistorySource {
  const { namespace } = client.options;
  const described = () => client.connection.workflowService.describeNamespace({ namespace });
  /** A namespace has its own id in each cluster. */
  const own = async (): Promise<string> => {
    const { namespaceInfo } = await described();
    return `${namespace} ${namespaceInfo?.id ?? ''}`.trim();
  };

  /** A mark without a namespace says nothing. */
  async function marked(): Promise<Date | undefined> {
    const text = (await archive.has(MARK)) ? (await archive.read(MARK)).toString() : '';
    const [, time = '', owner = ''] = /^(\S+) (.+)$/.exec(text.trim()) ?? [];
    const until = parseTimestamp(time);
    if (until === undefined) return undefined;
    if (owner !== (await own())) throw new PersonNeededError(isForeign(archive.place, owner, namespace));
    return new Date(until);
  }

  return {
    async keptSince(now) {
      const { config } = await described();
      const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) || UNKNOWN_RETENTION_S;
      return new Date(now.getTime() - seconds * 1_000);
    },
    marked,
    async mark(until) {
      // Two namespaces may have begun with the same new archive.
      await marked();
      await archive.write(MARK, Buffer.from(`${until.toISOString()} ${await own()}\n`));
    },
    async *endedIn(from, until) {
      const types = EXPORTED_TYPES.map((type) => `'${type}'`).join(', ');
      const query =
        `WorkflowType IN (${types}) AND TaskQueue = '${taskQueue}' AND ExecutionStatus != 'Running'` +
        ` AND CloseTime >= '${from.toISOString()}'` +
        (until === undefined ? '' : ` AND CloseTime < '${until.toISOString()}'`);
      for await (const { workflowId, runId } of client.workflow.list({ query })) yield { workflowId, runId };
    },
    async export(run) {
      const file = fileOf(run);
      if ((await archive.has(file)) && (await isWhole(file, await archive.read(file)))) return 'there';
      const text = await historyTextOf(client, run);
      if (text === undefined) return 'gone';
      await archive.write(file, await zipped(text));
      return 'written';
    },
  };
}

function isForeign(place: string, owner: string, namespace: string): string {
  return (
    `${place} has the histories of the namespace ${owner}, so those of ${namespace} are not exported to it: name another place in EXPORT_TO. ` +
    `If ${namespace} was set up anew and goes on with this archive, delete ${MARK} there`
  );
}

/** Its checksum says so. A copy of the archive, or a person, may have left a part of a file. */
async function isWhole(file: string, bytes: Buffer): Promise<boolean> {
  try {
    return (await textIn(file, bytes)) !== '';
    // eslint-disable-next-line no-restricted-syntax -- it is written again
  } catch {
    return false;
  }
}

/** Undefined if the server has deleted the run meanwhile. */
async function historyTextOf(client: Client, { workflowId, runId }: NamedRun): Promise<string | undefined> {
  const { connection, options } = client;
  const about = {
    namespace: options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: EVENTS_PER_PAGE,
  };
  const parts: string[] = [];
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await connection.workflowService
      .getWorkflowExecutionHistory({ ...about, nextPageToken: nextPageToken ?? null })
      .catch((error: unknown) => {
        if (isGrpcServiceError(error) && Number(error.code) === NOT_FOUND) return undefined;
        throw error;
      });
    if (page === undefined) return undefined;
    parts.push(...eventsToText(page.history?.events ?? []));
    nextPageToken = page.nextPageToken;
    await otherWork();
  } while (nextPageToken && nextPageToken.length > 0);
  return `{"events":[${parts.join(',')}]}`;
}
