import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Document } from 'mongodb';
import {
  FAILURES,
  stateQuery,
  stateUpdate,
  workflowIdOf,
  type RoundStateView,
} from '../src/contracts/gameround';
import { exchange } from '../test/support/e2e-http';
import { readHistory, type RoundHistory } from './history';
import type { Notes } from './players/notes';
import type { Stack } from './stack';
import { OPERATORS, type ChaosOperator } from './tenants';

/** One effective movement in an operator's books. `seq` is its place in them. */
export interface Movement {
  seq: number;
  type: 'debit' | 'credit' | 'end' | 'void' | 'adjustment';
  hash: string;
  gameRound?: string;
  amount: number;
  realDelta: number;
}

/** A call that the wallet received. */
export interface WalletCall {
  n: number;
  receivedMs: number;
  headers: Record<string, string>;
  status: number | null;
  answer?: string;
  fault?: string;
  clientLeft?: true;
  body: {
    gameRound: string;
    transactions: { type: string; hash: string; amount?: number; isFirstDebit?: boolean }[];
  };
}

export interface RecordInMongo extends Document {
  _id: string;
  status: 'open' | 'closed' | 'cancel';
  operator: string;
  player: string;
  totalBetAmount: number;
  totalWinAmount: number;
  attention: string[];
  crashed?: true;
  snapshot: RoundStateView;
}

export interface WorkflowSeen {
  status: string;
  /** Search attribute GameroundAttention. */
  attention: string[];
}

/** Everything that is known about one round, each part from its own source. */
export interface RoundEvidence {
  gameround: string;
  operator: ChaosOperator | undefined;
  record: RecordInMongo | undefined;
  workflow: WorkflowSeen | undefined;
  /** The operator's books. Empty if the operator has no movement of this round. */
  movements: Movement[];
  calls: WalletCall[];
  /** From the workflow. `lookInto` sets these for the rounds in `sampled`. */
  state?: RoundStateView;
  history?: RoundHistory;
  /** Why the query of the workflow failed. */
  unreadable?: string;
}

export interface Evidence {
  rounds: Map<string, RoundEvidence>;
  notes: Notes;
  stack: Stack;
  /** Rounds whose workflow was asked for its state and history. */
  sampled: RoundEvidence[];
}

/** All records. In MongoDB a snapshot is JSON text; here it is parsed. */
export async function recordsOf({ db }: Stack): Promise<RecordInMongo[]> {
  const found = await db
    .collection<RecordInMongo>('gamerounds')
    .find({ version: { $gt: 0 } })
    .toArray();
  return found.map((record) => {
    const snapshot: unknown = record.snapshot;
    return { ...record, snapshot: JSON.parse(snapshot as string) as RoundStateView };
  });
}

const SIDE_BY_SIDE = 12;

/** Gathers the evidence. Reads state and history of at most `maxSampled` workflows, spread evenly over the rounds. */
export async function gather(stack: Stack, notes: Notes, maxSampled: number): Promise<Evidence> {
  const [records, workflows, movements, calls] = await Promise.all([
    recordsOf(stack),
    workflowsOf(stack),
    movementsOf(stack),
    callsOf(stack),
  ]);
  const recordOf = new Map(records.map((record) => [record._id, record]));
  const gamerounds = new Set([
    ...[...notes.names.keys(), ...recordOf.keys(), ...workflows.keys(), ...movements.keys(), ...calls.keys()],
  ]);
  const rounds = new Map<string, RoundEvidence>();
  for (const gameround of gamerounds) {
    const record = recordOf.get(gameround);
    const operatorId = record?.operator ?? notes.names.get(gameround)?.operatorId;
    rounds.set(gameround, {
      gameround,
      operator: OPERATORS.find((one) => one.operatorId === operatorId),
      record,
      workflow: workflows.get(gameround),
      movements: movements.get(gameround) ?? [],
      calls: calls.get(gameround) ?? [],
    });
  }
  const sampled = evenly(
    [...rounds.values()].filter(({ workflow }) => workflow !== undefined),
    maxSampled,
  );
  await each(sampled, (round) => lookInto(stack, round));
  return { rounds, notes, stack, sampled };
}

export async function lookInto({ temporal }: Stack, round: RoundEvidence): Promise<void> {
  const handle = temporal.workflow.getHandle(workflowIdOf(round.gameround));
  round.history = readHistory(await handle.fetchHistory());
  // A workflow that did not get the guard fails before its round begins, so it has no state.
  if (round.workflow?.status === 'FAILED') return;
  try {
    round.state = await handle.query(stateQuery);
  } catch (error) {
    round.unreadable = error instanceof Error ? error.message : String(error);
  }
}

/** The state of a running round. By an update, as in the service: a query may be answered in the middle of a task. */
export async function askRunning({ temporal }: Stack, gameround: string): Promise<RoundStateView> {
  try {
    return await temporal.workflow.getHandle(workflowIdOf(gameround)).executeUpdate(stateUpdate);
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || cause.type !== FAILURES.stateReply) throw error;
    return cause.details?.[0] as RoundStateView;
  }
}

export async function workflowsOf({ temporal }: Stack): Promise<Map<string, WorkflowSeen>> {
  const found = new Map<string, WorkflowSeen>();
  for await (const info of temporal.workflow.list({ query: `WorkflowType = 'gameround'` })) {
    const gameround = info.workflowId.replace('gameround-', '');
    // A workflow id that was freed and used again has several runs. The newest is listed first.
    if (found.has(gameround)) continue;
    const attention = (info.searchAttributes['GameroundAttention'] ?? []) as string[];
    found.set(gameround, { status: info.status.name, attention: [...attention] });
  }
  return found;
}

export async function movementsOf(stack: Stack): Promise<Map<string, Movement[]>> {
  const found = new Map<string, Movement[]>();
  for (const { operatorId } of OPERATORS) {
    const { movements } = await sandbox<{ movements: Movement[] }>(
      stack,
      `ledger?operatorId=${operatorId}&limit=1000000`,
    );
    for (const movement of movements) {
      if (movement.gameRound !== undefined) put(found, movement.gameRound, movement);
    }
  }
  return found;
}

export async function callsOf(stack: Stack): Promise<Map<string, WalletCall[]>> {
  const found = new Map<string, WalletCall[]>();
  const { calls } = await sandbox<{ calls: WalletCall[] }>(stack, `calls?path=/doTransactions&limit=1000000`);
  for (const call of calls) put(found, call.body.gameRound, call);
  return found;
}

async function sandbox<T>({ walletUrl }: Stack, path: string): Promise<T> {
  return (await exchange({ url: `${walletUrl}/sandbox/${path}`, timeoutMs: 120_000 })).body as unknown as T;
}

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

export async function each<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
    }),
  );
}

function evenly<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)]!);
}
