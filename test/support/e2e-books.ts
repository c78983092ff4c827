import type { Document } from 'mongodb';
import { workflowIdOf } from '../../src/contracts/gameround';
import { roundIn, type RoundDocument } from '../../src/read-model/rounds';
import type { E2eStack } from './e2e-stack';
import { eventually } from './e2e-player';
import type { LedgerOfRound } from './wallet-controls';

/** A round's record as it stands in MongoDB. */
export interface RecordInMongo extends Document {
  _id: string;
  hash: string;
  status: 'open' | 'closed' | 'cancel';
  operator: string;
  player: string;
  totalBetAmount: number;
  totalWinAmount: number;
  transactions: { type: string; hash: string; amount?: number }[];
  attention: string[];
  crashed?: true;
  snapshot: { transactions: { type: string; hash: string; outcome: string }[] };
}

export async function recordOf(stack: E2eStack, gameround: string): Promise<RecordInMongo | null> {
  const found = await stack.db.collection<RoundDocument>('gamerounds').findOne({ _id: gameround });
  return found && { ...found, snapshot: roundIn(found) };
}

/** `RUNNING`, `COMPLETED`, …; `NONE` where there never was one. */
export async function workflowStatus(stack: E2eStack, gameround: string): Promise<string> {
  try {
    return (await stack.temporal.workflow.getHandle(workflowIdOf(gameround)).describe()).status.name;
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return 'NONE';
    throw error;
  }
}

export interface Books {
  record: RecordInMongo;
  ledger: LedgerOfRound;
}

/** Waits until a round that is over owes nothing to anybody: its workflow has completed, its record says so. */
export async function settled(stack: E2eStack, gameround: string): Promise<Books> {
  await eventually(
    `the end of workflow ${gameround}`,
    () => workflowStatus(stack, gameround),
    (status) => status !== 'RUNNING',
    60_000,
  );
  expect(await workflowStatus(stack, gameround)).toBe('COMPLETED');
  return agreedBooks(stack, gameround);
}

/**
 * The record and the operator's books of a round, after checking that they are equal: each (type, hash) effective at
 * most once, the same ones on both sides, the same money, no debit taken back after a win was paid.
 */
export async function agreedBooks(stack: E2eStack, gameround: string): Promise<Books> {
  const record = await recordOf(stack, gameround);
  if (record === null) throw new Error(`round ${gameround} has no record`);
  const ledger = await stack.wallet.ledger(gameround, record.operator);
  const moved = ledger.movements.map(nameOf);
  expect(moved).toEqual([...new Set(moved)]);
  // A debit of unknown outcome may have been taken or not: it is in the record, and its void has to be on both sides.
  const unsure = new Set(
    record.snapshot.transactions.filter(({ outcome }) => outcome === 'unknown').map(nameOf),
  );
  const certain = (names: string[]): string[] => names.filter((name) => !unsure.has(name)).sort();
  expect(certain(moved)).toEqual(certain(record.transactions.map(nameOf)));
  for (const name of unsure) expect(moved).toContain(name.replace('debit', 'void'));
  expect(ledger.net).toBe(record.totalWinAmount - record.totalBetAmount);
  const paidAt = ledger.movements.findIndex(({ type }) => type === 'credit');
  const takenBack = ledger.movements.findLastIndex(
    ({ type, realDelta }) => type === 'void' && realDelta !== 0,
  );
  if (paidAt !== -1) expect(takenBack).toBe(-1);
  return { record, ledger };
}

function nameOf({ type, hash }: { type: string; hash: string }): string {
  return `${type} ${hash}`;
}

/** Records that say open although nobody is at work on them. */
export async function abandonedRounds(stack: E2eStack): Promise<string[]> {
  const open = await stack.db.collection<RecordInMongo>('gamerounds').find({ status: 'open' }).toArray();
  const statuses = await Promise.all(
    open.map(async ({ _id }) => [_id, await workflowStatus(stack, _id)] as const),
  );
  return statuses.filter(([, status]) => status !== 'RUNNING').map(([gameround]) => gameround);
}

/** How often the wallet's ledger has the movement, by type. */
export function moves({ movements }: LedgerOfRound): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of movements) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
