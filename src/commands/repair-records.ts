import type { Client } from '@temporalio/client';
import { GAMEROUND_WORKFLOW, workflowIdOf, type GameroundStart } from '../contracts/gameround';
import { forEach } from '../domain/for-each';
import { holdsGuard } from '../domain/round/replies';
import { needsWorkflow, restoredRound, unknownBet } from '../domain/round/restored';
import type { RoundIdentity } from '../domain/round/types';
import type { CommandPorts } from './ports';
import { createRoundClient, type RoundClient } from './round-client';

/** What was repaired. */
export interface Repaired {
  records: number;
  guards: number;
  /** Rounds that got a workflow again: open ones are crashed, others send the voids that they owe. */
  rounds: number;
  /** Rounds that could not be checked, with the reason. A person has to look at them. */
  failed: { gameround: string; reason: string }[];
}

export interface RepairPorts extends Pick<
  CommandPorts,
  'repairRecord' | 'guards' | 'settingsFor' | 'findRecorded'
> {
  /** The hashes of open rounds, and of cancelled rounds that have a mark or ended after `since`. */
  unfinishedRecords(since: Date): AsyncIterable<string>;
}

/**
 * Run this after a database was restored from a copy (docs/operations.md). It updates the records and guards from workflows
 * that run or were closed since then. It starts a workflow for each record that needs one and has none: for open rounds, so
 * that they can be reconciled or settled, and for cancelled rounds that owe voids. A first bet that may have been taken, but
 * has neither a record nor a workflow, is voided.
 */
export async function repairRecords(
  client: Client,
  ports: RepairPorts,
  since: Date,
  taskQueue: string,
): Promise<Repaired> {
  const rounds = createRoundClient(client, taskQueue);
  const repaired: Repaired = { records: 0, guards: 0, rounds: 0, failed: [] };
  const query =
    `WorkflowType = '${GAMEROUND_WORKFLOW}' AND TaskQueue = '${taskQueue}'` +
    ` AND (ExecutionStatus = 'Running' OR CloseTime >= '${since.toISOString()}')`;
  /** A round that can't be read must not stop the repair of the others. */
  const attempt =
    <Of extends string | { gameround: string }>(repair: (of: Of) => Promise<void>) =>
    async (of: Of): Promise<void> => {
      const gameround = typeof of === 'string' ? of : of.gameround;
      const note = (error: unknown): void => void repaired.failed.push({ gameround, reason: String(error) });
      await repair(of).catch(note);
    };
  await forEach(
    hashesOf(client.workflow.list({ query })),
    attempt(async (gameround: string) => {
      const state = await rounds.state(gameround);
      // Its initial debit is not decided, so it has no record yet.
      if (state === undefined || state.phase === 'starting') return;
      const { identity } = state;
      const lacksGuard = holdsGuard(state) && (await ports.guards.holder(identity))?.gameround !== gameround;
      if (await ports.repairRecord(state)) repaired.records += 1;
      if (lacksGuard && (await giveGuard(ports.guards, rounds, identity))) repaired.guards += 1;
    }),
  );
  await forEach(
    ports.unfinishedRecords(since),
    attempt(async (gameround: string) => {
      // Check this before reading the record: a workflow that ends in between has written its record.
      if (await rounds.isRunning(gameround)) return;
      // A terminated workflow may know of a wallet call that its record does not show.
      const state = await rounds.state(gameround);
      if (state !== undefined && state.phase !== 'starting') await ports.repairRecord(state);
      const recorded = await ports.findRecorded(gameround);
      if (recorded === undefined || !needsWorkflow(recorded.snapshot)) return;
      const { snapshot, version } = recorded;
      const settings = await ports.settingsFor(snapshot.identity);
      await rounds.restore(restoredRound(snapshot, settings, new Date().toISOString()), version);
      repaired.rounds += 1;
    }),
  );
  await forEach(
    ports.guards.undecidedBets(),
    attempt(async ({ gameround, start }) => {
      if (await rounds.isRunning(gameround)) return;
      // The workflow may have ended in between, with its record.
      if ((await ports.findRecorded(gameround)) !== undefined) return;
      const { identity, settings, command } = JSON.parse(start) as GameroundStart;
      const at = new Date().toISOString();
      await rounds.restore(restoredRound(unknownBet(identity, settings, command, at), settings, at), 0);
      repaired.rounds += 1;
    }),
  );
  return repaired;
}

async function* hashesOf(workflows: AsyncIterable<{ workflowId: string }>): AsyncIterable<string> {
  for await (const { workflowId } of workflows) yield workflowId.slice(workflowIdOf('').length);
}

/** Gives the guard to an open round, if the guard is gone or belongs to a round that is not open. Returns whether it has it. */
async function giveGuard(
  guards: RepairPorts['guards'],
  rounds: RoundClient,
  identity: RoundIdentity,
): Promise<boolean> {
  const holder = await guards.holder(identity);
  // A record that was missing has taken the free guard when it was written.
  if (holder?.gameround === identity.gameround) return true;
  if (holder !== undefined) {
    const other = await rounds.state(holder.gameround);
    if (other !== undefined && holdsGuard(other) && (await rounds.isRunning(holder.gameround))) return false;
    await guards.free(identity, holder);
  }
  return guards.restore(identity, identity.gameround);
}
