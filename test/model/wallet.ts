import type { TransactionType } from './types';

/* A wallet by the rules 1 to 5 of docs/interface/operator-api.md, as plain data that can be copied. */

export interface Transaction {
  readonly type: TransactionType;
  /** Names the transaction, and in a void the debit that it takes back. */
  readonly ref: string;
  readonly amount: number;
  readonly first?: boolean;
  readonly serial?: string | undefined;
}

/** One movement in the books of the operator: `delta` is what it did to the player's balance. */
export interface Move {
  readonly type: TransactionType;
  readonly amount: number;
  readonly delta: number;
}

export interface WalletRound {
  status: 'none' | 'open' | 'closed' | 'voided' | 'failed';
  /** The debit that came first, or the void that came before it; whatever became of it. */
  initial: string | undefined;
  /** Processed ones by type and ref: the wallet's idempotency. */
  done: Record<string, Transaction>;
  refused: Record<string, number>;
  moves: Move[];
}

/** What of the player's a transaction can touch. */
export interface Purse {
  money: number;
  tickets: Record<string, number>;
}

export const newWalletRound = (): WalletRound => ({
  status: 'none',
  initial: undefined,
  done: {},
  refused: {},
  moves: [],
});

/** Ids of the sandbox operator's own errors (sandbox/README.md). */
const NO_FUNDS = 5_001;
const ROUND_VOIDED = 5_002;
const DEBIT_FAILED = 5_003;

/** Processes one transaction; answers the error's id where it is refused. */
export function process(
  round: WalletRound,
  purse: Purse,
  transaction: Transaction,
  voidsWholeRound: boolean,
): number | undefined {
  const { type, ref, amount } = transaction;
  if (type === 'void' || type === 'debit') round.initial ??= ref;
  if (type === 'void') return voidDebit(round, purse, transaction, voidsWholeRound);
  if (round.status === 'voided') return ROUND_VOIDED;
  const name = `${type} ${ref}`;
  if (round.done[name] !== undefined) return undefined;
  if (type === 'debit') return debit(round, purse, transaction);
  if (round.status === 'failed') return DEBIT_FAILED;
  if (round.status !== 'open') return 2_000;
  round.done[name] = transaction;
  if (type === 'end') round.status = 'closed';
  else purse.money += amount;
  round.moves.push({ type, amount, delta: type === 'credit' ? amount : 0 });
  return undefined;
}

function debit(round: WalletRound, purse: Purse, transaction: Transaction): number | undefined {
  const { ref, amount, first = false, serial } = transaction;
  // Its void came before it: it counts as voided on its arrival.
  if (round.done[`void ${ref}`] !== undefined) return undefined;
  const refused = round.refused[ref] ?? refusalOfDebit(round, purse, transaction);
  if (refused !== undefined) {
    round.refused[ref] = refused;
    if (round.status === 'none') round.status = 'failed';
    return refused;
  }
  if (first) round.status = 'open';
  if (serial === undefined) purse.money -= amount;
  else purse.tickets[serial] = (purse.tickets[serial] ?? 0) - 1;
  round.done[`debit ${ref}`] = transaction;
  round.moves.push({ type: 'debit', amount, delta: 0 - amount });
  return undefined;
}

function refusalOfDebit(
  round: WalletRound,
  purse: Purse,
  { amount, first = false, serial }: Transaction,
): number | undefined {
  if (first && round.status !== 'none') return 12;
  if (!first && round.status !== 'open') return 2_000;
  if (serial !== undefined) return (purse.tickets[serial] ?? 0) > 0 ? undefined : 2_008;
  return amount > purse.money ? NO_FUNDS : undefined;
}

/** Processed whatever the round's state; a round is voided when its initial debit is (docs/interface#void-any-state, #voids-whole-round). */
function voidDebit(
  round: WalletRound,
  purse: Purse,
  { ref }: Transaction,
  voidsWholeRound: boolean,
): undefined {
  if (round.done[`void ${ref}`] !== undefined) return undefined;
  const others = voidsWholeRound ? debitsOf(round) : [];
  for (const taken of new Set([ref, ...others])) takeBack(round, purse, taken);
  if (ref === round.initial || voidsWholeRound) round.status = 'voided';
}

function debitsOf(round: WalletRound): string[] {
  return Object.values(round.done)
    .filter(({ type }) => type === 'debit')
    .map(({ ref }) => ref);
}

function takeBack(round: WalletRound, purse: Purse, ref: string): void {
  if (round.done[`void ${ref}`] !== undefined) return;
  const debit = round.done[`debit ${ref}`];
  const amount = debit?.amount ?? 0;
  if (debit?.serial !== undefined) purse.tickets[debit.serial] = (purse.tickets[debit.serial] ?? 0) + 1;
  purse.money += amount;
  round.done[`void ${ref}`] = { type: 'void', ref, amount: 0 };
  round.moves.push({ type: 'void', amount, delta: amount });
}
