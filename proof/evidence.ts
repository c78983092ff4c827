import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import type { Archive } from '../src/archive/types';
import { prefixOf } from '../src/archive/names';
import { workflowIdOf, type GameroundStart } from '../src/contracts/gameround';
import { reconcileWorkflowIdOf } from '../src/contracts/reconcile';
import { A_RECORD, createGuards } from '../src/read-model/guards';
import type { RoundDocument, Rounds } from '../src/read-model/rounds';
import type { AuditPorts, Document } from './audit';
import { queryOf, type Options } from './command';
import { parsed } from './compare';
import { runOnServer, runsInArchive, runsOnServer, type Run, type Wanted } from './runs';

/** Where the histories and the records are. */
export interface Evidence {
  client: Client;
  codec: PayloadCodec;
  rounds: Rounds;
  environment: string;
  /** Exported histories. */
  archive?: Archive | undefined;
  /** For tests that run several workers on one server. */
  taskQueue?: string;
}

type Sources = Pick<Evidence, 'client' | 'codec' | 'archive'>;

/** The rounds of the server that the options name, then those of the archive that the server does not have. */
export async function* roundsIn(
  evidence: Evidence,
  options: Options,
  wanted: Wanted = () => Promise.resolve(true),
): AsyncIterable<Run> {
  const { client, codec, archive, taskQueue } = evidence;
  const listed = new Set<string>();
  const notes: Wanted = (run) => {
    if (archive !== undefined) listed.add(run.runId);
    return wanted(run);
  };
  yield* runsOnServer(client, queryOf(options, undefined, taskQueue), codec, notes);
  const { hash } = options;
  const isMissing: ArchiveFilter = async ({ named }) =>
    named === undefined || (!listed.has(named.runId) && (await wanted(named)));
  const archived =
    hash === undefined
      ? wholeArchive(evidence, isMissing)
      : archivedRuns(evidence, workflowIdOf(hash), isMissing);
  for await (const run of archived) if (!listed.has(run.runId) && isWanted(run, options)) yield run;
}

type ArchiveFilter = Parameters<typeof runsInArchive>[3];

async function* wholeArchive({ archive, codec }: Sources, isWanted?: ArchiveFilter): AsyncIterable<Run> {
  if (archive !== undefined) yield* runsInArchive(archive, codec, '', isWanted);
}

/** The runs of a workflow in the archive. Their files have the names that an export gives them. */
async function* archivedRuns(
  { archive, codec }: Sources,
  workflowId: string,
  isWanted?: ArchiveFilter,
): AsyncIterable<Run> {
  if (archive !== undefined) yield* runsInArchive(archive, codec, prefixOf(workflowId), isWanted);
}

/** All runs of one round and of its reconciliations: those of the server, then those of the archive that it does not have. */
export async function* runsOfRound(evidence: Sources, gameround: string): AsyncIterable<Run> {
  const { client, codec } = evidence;
  for (const workflowId of [workflowIdOf(gameround), reconcileWorkflowIdOf(gameround)]) {
    const known = new Set<string>();
    for await (const run of runsOnServer(client, `WorkflowId = '${workflowId}'`, codec)) {
      known.add(run.runId);
      yield run;
    }
    // The server may list a round later than it runs.
    const newest = await newestRun(client, codec, workflowId);
    if (newest !== undefined && !known.has(newest.runId)) yield newest;
    if (newest !== undefined) known.add(newest.runId);
    for await (const run of archivedRuns(evidence, workflowId)) if (!known.has(run.runId)) yield run;
  }
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
  return (
    identity !== undefined && !isOld && (operator === undefined || operatorIn(started.args[0]) === operator)
  );
}

/** The operator of a round, from the argument of its workflow; undefined if that has another form than the service writes. */
function operatorIn(start: unknown): string | undefined {
  const { identity } = Object(start) as Partial<GameroundStart>;
  return (Object(identity) as Partial<GameroundStart['identity']>).operatorId;
}

/**
 * The same, without rounds whose record says that they are over. So a rebuild that was stopped goes on where it was. A round
 * that is named by its hash is always read. `found` is called for each round, also for those that are left out.
 */
export function missingRounds(
  evidence: Evidence,
  options: Options,
  found: () => void = () => undefined,
): AsyncIterable<Run> {
  const { collection } = evidence.rounds;
  return roundsIn(evidence, options, async ({ workflowId }) => {
    // An archive has reconciliations, too.
    if (!workflowId.startsWith(workflowIdOf(''))) return false;
    found();
    if (options.hash !== undefined) return true;
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
    // Without `--dir` the archive is asked for single rounds only: it may be far larger than what the server still has.
    runs: roundsIn(options.dir === undefined ? { ...evidence, archive: undefined } : evidence, options),
    environment,
    find: async (gameround) =>
      (await rounds.collection.findOne({ _id: gameround, ...A_RECORD })) ?? undefined,
    guardOf: (round) => guardOf(rounds, round),
    undecidedBets: () => undecidedBets(rounds, options),
    records: () => recordsIn(rounds, options),
    runsOf: async (workflowId) => {
      const newest = await newestRun(client, codec, workflowId);
      if (newest !== undefined) return [newest];
      const archived: Run[] = [];
      for await (const run of archivedRuns(evidence, workflowId)) archived.push(run);
      return archived;
    },
    keptSince: await keptSince(client, rounds),
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

/**
 * Who has the guard of an open round that does not hold it. `moved`: another provider has started a round since, as the game
 * has moved to it. The older round goes on without the guard.
 */
async function guardOf(
  { db, collection }: Rounds,
  { operator, player, game, mode, providerId, openedAt }: Document,
): Promise<'moved' | { holder: string | undefined }> {
  const holder = await createGuards(db).holder({
    operatorId: operator,
    playerId: player,
    gameCode: game,
    mode,
  });
  const ofPlayer = { operator, player, game, mode };
  const newer = { ...ofPlayer, providerId: { $ne: providerId }, openedAt: { $gt: openedAt } };
  if (holder === undefined)
    return (await collection.findOne(newer)) === null ? { holder: undefined } : 'moved';
  const found = await collection.findOne<Partial<RoundDocument> & { start?: string }>({
    _id: holder.gameround,
  });
  const started = found?.start === undefined ? undefined : (JSON.parse(found.start) as GameroundStart);
  const other = found?.providerId ?? started?.identity.providerId;
  return other === undefined || other === providerId ? { holder: holder.gameround } : 'moved';
}

async function* undecidedBets({ db }: Rounds, { operator }: Options): AsyncIterable<string> {
  for await (const { gameround, start } of createGuards(db).undecidedBets()) {
    const ofBet = operatorIn(parsed(start));
    if (operator === undefined || ofBet === undefined || ofBet === operator) yield gameround;
  }
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

/** Temporal has deleted the workflows that closed before. The time is MongoDB's: the clock of this machine may be wrong. */
async function keptSince({ connection, options: { namespace } }: Client, { db }: Rounds): Promise<Date> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const { localTime } = (await db.command({ hello: 1 })) as { localTime: Date };
  return new Date(localTime.getTime() - Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000);
}
