import { bytesOf } from '../texts';
import type { RoundState } from './types';

/**
 * The arguments of a workflow may have 2 MiB, and continue-as-new passes the round's state as an argument. A round may grow
 * up to this limit. The rest is for the transactions that finish it, its last balance, and the provider's result.
 */
export const MAX_STATE_BYTES = 1_400 * 1024;
/** Above the limit, so that a full round can still store some hundred decisions of a person or a reconciliation. */
export const MAX_SETTLED_BYTES = MAX_STATE_BYTES + 128 * 1024;

/** What a command adds besides its free-form data: its key, answer, entry and transactions. */
const STEP_BYTES = 4 * 1024;
/** Reserved per debit for the void that it may need. */
const VOID_BYTES = 512;
/** Reserved per entry for the `reason`: the command that collected the win. */
const REASON_BYTES = 128;

// Parts of a state are replaced and never changed, so a cached size is right in every round and every replay.
// eslint-disable-next-line no-restricted-syntax
const measured = new WeakMap<object, number>();

/** Bytes (JSON in UTF-8) of the parts that grow with the commands. It includes what the end or the voids would add. */
export function growthOf({ commands, transactions, gameState }: RoundState): number {
  let bytes = 0;
  for (const key of Object.keys(commands)) bytes += bytesOf(key) + sizeOf(commands[key]!);
  for (const transaction of transactions) {
    bytes += sizeOf(transaction) + (transaction.type === 'debit' ? VOID_BYTES : 0);
  }
  for (const entry of gameState) bytes += sizeOf(entry) + REASON_BYTES;
  return bytes;
}

/** Whether one more command with this much data still leaves room to finish the round. */
export function hasRoomFor(state: RoundState, infoBytes: number): boolean {
  return growthOf(state) + infoBytes + STEP_BYTES <= MAX_STATE_BYTES;
}

/** A comma, a colon and quotes around each part. */
const SEPARATORS = 4;

function sizeOf(part: object): number {
  const known = measured.get(part);
  if (known !== undefined) return known;
  const bytes = jsonBytes(part) + SEPARATORS;
  measured.set(part, bytes);
  return bytes;
}

export function jsonBytes(value: unknown): number {
  return bytesOf(JSON.stringify(value));
}
