import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { workflowIdOf, type GameroundStart } from '../src/contracts/gameround';
import { A_RECORD } from '../src/read-model/guards';
import type { RoundDocument, Rounds } from '../src/read-model/rounds';
import type { AuditPorts } from './audit';
import { queryOf, type Options } from './command';
import { runOnServer, runsInFolder, runsOnServer, type Run } from './runs';

/** Where the histories and the records are. */
export interface Evidence {
  client: Client;
  codec: PayloadCodec;
  rounds: Rounds;
  environment: string;
  /** For tests that run several workers on one server. */
  taskQueue?: string;
}

/** The rounds of the server that the options name, then those of their folder. */
export async function* roundsIn(
  { client, codec, taskQueue }: Evidence,
  options: Options,
  wanted?: Parameters<typeof runsOnServer>[3],
): AsyncIterable<Run> {
  yield* runsOnServer(client, queryOf(options, undefined, taskQueue), codec, wanted);
  if (options.dir === undefined) return;
  for await (const run of runsInFolder(options.dir, codec)) if (isWanted(run, options)) yield run;
}

function isWanted({ facts, history }: Run, { operator, since }: Options): boolean {
  const [started] = facts;
  if (started?.is !== 'started') return true;
  const { identity } = Object(started.args[0]) as Partial<GameroundStart>;
  const last = history?.events?.at(-1)?.eventTime;
  const isOld =
    since !== undefined &&
    facts.at(-1)?.is === 'ended' &&
    Number(last?.seconds) * 1_000 < new Date(since).getTime();
  // A reconciliation has no identity.
  return identity !== undefined && !isOld && (operator === undefined || identity.operatorId === operator);
}

/**
 * The same, without rounds on the server whose record says that they are over. So a rebuild that was stopped goes on where it
 * was.
 */
export function missingRounds(evidence: Evidence, options: Options): AsyncIterable<Run> {
  const { collection } = evidence.rounds;
  return roundsIn(evidence, options, async ({ workflowId }) => {
    const over = {
      _id: workflowId.slice(workflowIdOf('').length),
      ...A_RECORD,
      status: { $ne: 'open' as const },
    };
    return (await collection.findOne(over, { projection: { _id: 1 } })) === null;
  });
}

/** The ports of an audit, without those that the caller has. */
export async function auditPorts(
  evidence: Evidence,
  options: Options,
): Promise<Omit<AuditPorts, 'replay' | 'found' | 'step'>> {
  const { client, codec, rounds, environment } = evidence;
  return {
    runs: roundsIn(evidence, options),
    environment,
    find: async (gameround) =>
      (await rounds.collection.findOne({ _id: gameround, ...A_RECORD })) ?? undefined,
    records: () => recordsIn(rounds, options),
    newestRun: (workflowId) => newestRun(client, codec, workflowId),
    keptSince: await keptSince(client),
  };
}

/** The records of the same rounds: open ones, and those that closed since then. */
function recordsIn(
  { collection }: Rounds,
  { since, operator }: Options,
): AsyncIterable<Pick<RoundDocument, '_id' | 'closedAt'>> {
  const ofOperator = operator === undefined ? {} : { operator };
  const closed =
    since === undefined
      ? {}
      : { $or: [{ status: 'open' as const }, { closedAt: { $gte: new Date(since) } }] };
  return collection.find({ ...A_RECORD, ...ofOperator, ...closed }, { projection: { closedAt: 1 } });
}

async function newestRun(client: Client, codec: PayloadCodec, workflowId: string): Promise<Run | undefined> {
  try {
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    return await runOnServer(client, { workflowId, runId }, codec);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Temporal has deleted the workflows that closed before. */
async function keptSince({ connection, options: { namespace } }: Client): Promise<Date> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  return new Date(Date.now() - Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000);
}
