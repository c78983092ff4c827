import type { Document } from 'mongodb';
import { workflowIdOf } from '../../src/contracts/gameround';
import { roundIn, type RoundDocument } from '../../src/read-model/rounds';
import type { E2eStack } from './e2e-stack';
import { eventually } from './e2e-player';
import type { LedgerOfRound } from './wallet-controls';

/** A round's record in MongoDB, with its snapshot parsed. */
export interface RecordInMongo extends Document {
  _id: string;
  hash: string;
  status: 'open' | 'closed' | 'cancel';
  operator: string;
  player: string;
  totalBetAmount: number;
  totalWinAmount: number;
  transactions: { type: string; hash: string; amount?: number | undefined }[];
  attention: string[];
  crashed?: true | undefined;
  snapshot: { transactions: { type: string; hash: string; outcome: string }[] };
}

export async function recordOf(stack: E2eStack, gameround: string): Promise<RecordInMongo | null> {
  const found = await stack.db.collection<RoundDocument>('gamerounds').findOne({ _id: gameround });
  return found && { ...found, snapshot: roundIn(found) };
}

/** `RUNNING`, `COMPLETED`, …, or `NONE` if there is no workflow. */
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

/** Waits until a round's workflow has ended, and checks that it completed. Then compares the books as `agreedBooks`. */
export async function booksAtRest(stack: E2eStack, gameround: string): Promise<Books> {
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
 * The record and the operator's books of a round, after checking that they agree: each transaction (type and hash) took
 * effect at most once, both sides have the same ones and the same amounts, no debit is voided after a win was paid.
 */
export async function agreedBooks(stack: E2eStack, gameround: string): Promise<Books> {
  const record = await recordOf(stack, gameround);
  if (record === null) throw new Error(`round ${gameround} has no record`);
  const ledger = await stack.wallet.ledger(gameround, record.operator);
  const moved = ledger.movements.map(nameOf);
  expect(moved).toEqual([...new Set(moved)]);
  // The wallet may have taken a debit of unknown outcome or not. The debit is in the record, and its void in both.
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

/** Rounds whose record is open although their workflow does not run. */
export async function abandonedRounds(stack: E2eStack): Promise<string[]> {
  const open = await stack.db.collection<RecordInMongo>('gamerounds').find({ status: 'open' }).toArray();
  const statuses = await Promise.all(
    open.map(async ({ _id }) => [_id, await workflowStatus(stack, _id)] as const),
  );
  return statuses.filter(([, status]) => status !== 'RUNNING').map(([gameround]) => gameround);
}

/** The number of movements in the ledger, by type. */
export function moves({ movements }: LedgerOfRound): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of movements) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
