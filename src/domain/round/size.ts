import { bytesOf } from '../texts';
import type { RoundState } from './types';

/**
 * A workflow's arguments may have 2 MiB, and a round's state is one when the round goes on in a new run. A round grows
 * up to here: the rest is for what finishes it, its last balance, and what the provider tells of it afterwards.
 */
export const MAX_STATE_BYTES = 1_400 * 1024;
/** What a person or a reconciliation decides about a full round still fits, some hundred times. */
export const MAX_SETTLED_BYTES = MAX_STATE_BYTES + 128 * 1024;

/** What a command adds besides the data that it brings: its key, its answer, its entry and its transactions. */
const STEP_BYTES = 4 * 1024;
/** A debit may have to be voided: the transaction for it, with its reason. */
const VOID_BYTES = 512;
/** A win says by which command it was collected. */
const REASON_BYTES = 128;

// Parts are never changed, only replaced: what is known of one is the same in every round and every replay.
// eslint-disable-next-line no-restricted-syntax
const measured = new WeakMap<object, number>();

/** How much of a round's state grows with its commands, as JSON in UTF-8; what its end or voids would add is counted already. */
export function growthOf({ commands, transactions, gameState }: RoundState): number {
  let bytes = 0;
  for (const key of Object.keys(commands)) bytes += bytesOf(key) + sizeOf(commands[key]!);
  for (const transaction of transactions) {
    bytes += sizeOf(transaction) + (transaction.type === 'debit' ? VOID_BYTES : 0);
  }
  for (const entry of gameState) bytes += sizeOf(entry) + REASON_BYTES;
  return bytes;
}

/** Whether one more command, with so much data, still leaves room for what finishes the round. */
export function hasRoomFor(state: RoundState, infoBytes: number): boolean {
  return growthOf(state) + infoBytes + STEP_BYTES <= MAX_STATE_BYTES;
}

/** Around each part stand a comma or a colon and quotes. */
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
