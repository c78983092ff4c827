import type { E2eStack } from '../test/support/e2e-stack';
import { A_RECORD } from '../src/read-model/guards';

interface MovementOfOperator {
  seq: number;
  type: string;
  hash: string;
  /** Undefined for a movement that opens or fills an account. */
  gameRound?: string;
  realDelta: number;
}

interface RecordFields {
  _id: string;
  status: string;
  totalBetAmount: number;
  totalWinAmount: number;
}

export interface Books {
  rounds: number;
  byStatus: Record<string, number>;
  voids: number;
  /** Differences between the records and the operator's ledger. Empty if they agree. */
  differences: string[];
}

const PAGE = 50_000;

/**
 * Compares all records of an operator with its ledger: every movement is there once, both have the same amounts, and
 * both have the same rounds. Only a cancelled round may be missing in the ledger: its bet may never have been taken.
 */
export async function compareBooks(stack: E2eStack, operatorId: string): Promise<Books> {
  const ledger = await movementsByRound(stack, operatorId);
  const records = await stack.db
    .collection<RecordFields>('gamerounds')
    .find({ operator: operatorId, ...A_RECORD })
    .toArray();
  const voids = [...ledger.values()].flat().filter(({ type }) => type === 'void').length;
  const differences: string[] = [];
  const byStatus: Record<string, number> = {};
  for (const { _id, status, totalBetAmount, totalWinAmount } of records) {
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    const moved = ledger.get(_id) ?? [];
    const names = moved.map(({ type, hash }) => `${type} ${hash}`);
    const net = moved.reduce((sum, { realDelta }) => sum + realDelta, 0);
    if (new Set(names).size !== names.length) differences.push(`${_id}: a movement stands twice`);
    if (net !== totalWinAmount - totalBetAmount)
      differences.push(`${_id}: ${status}, the ledger says ${net}`);
    if (moved.length === 0 && status !== 'cancel')
      differences.push(`${_id}: ${status}, but not in the ledger`);
    ledger.delete(_id);
  }
  for (const gameRound of ledger.keys()) differences.push(`${gameRound}: in the ledger only`);
  return { rounds: records.length, byStatus, voids, differences };
}

async function movementsByRound(
  stack: E2eStack,
  operatorId: string,
): Promise<Map<string, MovementOfOperator[]>> {
  const rounds = new Map<string, MovementOfOperator[]>();
  for (let after: number | undefined = 0; after !== undefined;) {
    const query = new URLSearchParams({ operatorId, after: String(after), limit: String(PAGE) });
    const reply = await fetch(`${stack.walletUrl}/sandbox/ledger?${query.toString()}`);
    const page = (await reply.json()) as { movements: MovementOfOperator[]; nextAfter?: number };
    for (const movement of page.movements) {
      if (movement.gameRound === undefined) continue;
      const known = rounds.get(movement.gameRound) ?? [];
      rounds.set(movement.gameRound, [...known, movement]);
    }
    after = page.nextAfter;
  }
  return rounds;
}

/** Waits until at most `most` workflows of rounds run, or the time is up. Returns how many run. */
export async function runningRounds(stack: E2eStack, most: number, timeoutMs: number): Promise<number> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { count } = await stack.temporal.workflow.count(
      "WorkflowType = 'gameround' AND ExecutionStatus = 'Running'",
    );
    if (count <= most || Date.now() > deadline) return count;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
