import type { ErrorObject } from './errors';

/* The rules of doTransactions (docs/interface#do-transactions and the rules after it) as pure functions. */

export interface WalletTransaction {
  type: 'debit' | 'credit' | 'end' | 'void';
  hash: string;
  currency: string;
  isFirstDebit?: boolean;
  amount?: number;
  serial?: string;
}

export interface WalletCall {
  playerId: string;
  gameCode: string;
  gameRound: string;
  currency: string;
  transactions: WalletTransaction[];
}

/** The data that a wallet stores for a round. Plain JSON. */
export interface WalletRound {
  playerId: string;
  gameCode: string;
  currency: string;
  status: 'open' | 'closed' | 'voided' | 'failed';
  initialDebit: string;
  /** The processed transactions by type and hash. A refused debit has its error. */
  processed: Record<string, { amount: number; errorCode?: ErrorObject }>;
}

/** `balance` is undefined if the account does not exist, `round` if the wallet does not know the round yet. */
export interface WalletState {
  balance: number | undefined;
  round: WalletRound | undefined;
}

export interface HashProcessed {
  hash: string;
  errorCode?: ErrorObject;
}

const IDS = {
  GAMEROUNDALREADYSTARTED: 12,
  GAMEROUNDNOTSTARTED: 15,
  TRANSACTIONCOUNTMISMATCH: 16,
  INVALIDREQUEST: 1000,
  SIGNATUREWRONG: 1001,
  REQUESTTOOLARGE: 1002,
  INTERNALERROR: 1004,
  NOTFOUND: 1005,
  GAMEROUNDNOTACTIVE: 2000,
  IDEMPOTENCYMISMATCH: 2002,
  PLAYERNOTFOUND: 2003,
  NOTICKETAVAILABLE: 2008,
} as const;

export function walletError(name: keyof typeof IDS, detail?: string): ErrorObject {
  const msg = detail === undefined ? name : `${name}: ${detail}`;
  return { id: IDS[name], msg, clientmsg: 'The operator refused the request.' };
}

/** An example of an operator's own error id, which is not in the interface. */
const INSUFFICIENTFUNDS = { id: 5001, msg: 'INSUFFICIENTFUNDS', clientmsg: 'Your balance is too low.' };

/** The error if the whole call is refused and no transaction is processed. */
export function refusalOfCall(
  { round }: WalletState,
  call: WalletCall,
  count: unknown,
): ErrorObject | undefined {
  const { transactions, playerId, gameCode, currency } = call;
  if (count !== transactions.length) return walletError('TRANSACTIONCOUNTMISMATCH');
  const firstEnd = transactions.findIndex(({ type }) => type === 'end');
  if (firstEnd >= 0 && transactions.slice(firstEnd).some(({ type }) => type === 'debit'))
    return walletError('INVALIDREQUEST', 'a debit follows an end');
  const same = round === undefined || (round.playerId === playerId && round.gameCode === gameCode);
  if (!same) return walletError('INVALIDREQUEST', 'gameRound of another player or game');
  return round === undefined || round.currency === currency
    ? undefined
    : walletError('INVALIDREQUEST', 'currency of the gameRound');
}

/** Processes the transactions of a call in order. Returns the new state and the result of each transaction. */
export function processCall(
  before: WalletState,
  call: WalletCall,
): { state: WalletState; hashesProcessed: HashProcessed[] } {
  const state = structuredClone(before);
  let hasFailed = false;
  const hashesProcessed = call.transactions.map((transaction): HashProcessed => {
    const errorCode = processOne(state, call, transaction, hasFailed);
    hasFailed ||= errorCode !== undefined;
    const { hash } = transaction;
    return errorCode === undefined ? { hash } : { hash, errorCode };
  });
  return { state, hashesProcessed };
}

const keyOf = (type: string, hash: string): string => `${type}:${hash.toLowerCase()}`;

function processOne(
  state: WalletState,
  call: WalletCall,
  transaction: WalletTransaction,
  hasFailed: boolean,
): ErrorObject | undefined {
  if (transaction.type === 'debit') return debit(state, call, transaction);
  if (transaction.type === 'void') return voidDebit(state, call, transaction);
  return creditOrEnd(state, transaction, hasFailed);
}

/** The round. It is created for its first transaction. */
function roundOf(state: WalletState, call: WalletCall, { hash }: WalletTransaction): WalletRound {
  const { playerId, gameCode, currency } = call;
  const initialDebit = hash.toLowerCase();
  state.round ??= { playerId, gameCode, currency, status: 'open', initialDebit, processed: {} };
  return state.round;
}

function debit(
  state: WalletState,
  call: WalletCall,
  transaction: WalletTransaction,
): ErrorObject | undefined {
  const { hash, amount = 0 } = transaction;
  const known = state.round;
  if (known?.status === 'voided') return walletError('GAMEROUNDNOTACTIVE', 'voided');
  const repeated = known?.processed[keyOf('debit', hash)];
  if (repeated !== undefined) return repeated.errorCode ?? mismatch(repeated.amount, amount);
  // The void arrived before the debit, so the debit counts as voided.
  if (known?.processed[keyOf('void', hash)] !== undefined) return undefined;
  if (known === undefined && transaction.isFirstDebit !== true) return walletError('GAMEROUNDNOTSTARTED');

  const errorCode = refusalOfDebit(state, transaction);
  const round = roundOf(state, call, transaction);
  if (errorCode === undefined) state.balance = (state.balance ?? 0) - amount;
  else if (known === undefined) round.status = 'failed';
  round.processed[keyOf('debit', hash)] = errorCode === undefined ? { amount } : { amount, errorCode };
  return errorCode;
}

function refusalOfDebit(
  { balance, round }: WalletState,
  { amount = 0, isFirstDebit, serial }: WalletTransaction,
): ErrorObject | undefined {
  if (round !== undefined && isFirstDebit === true) return walletError('GAMEROUNDALREADYSTARTED');
  if (round !== undefined && round.status !== 'open') return walletError('GAMEROUNDNOTACTIVE', round.status);
  if (serial !== undefined) return walletError('NOTICKETAVAILABLE');
  if (balance === undefined) return walletError('PLAYERNOTFOUND');
  return amount > balance ? INSUFFICIENTFUNDS : undefined;
}

function creditOrEnd(
  state: WalletState,
  { type, hash, amount = 0 }: WalletTransaction,
  hasFailed: boolean,
): ErrorObject | undefined {
  const { round } = state;
  if (round === undefined) return walletError('GAMEROUNDNOTSTARTED');
  if (round.status === 'voided') return walletError('GAMEROUNDNOTACTIVE', 'voided');
  const repeated = round.processed[keyOf(type, hash)];
  if (repeated !== undefined) return mismatch(repeated.amount, amount);
  if (hasFailed) return walletError('GAMEROUNDNOTACTIVE', 'an earlier transaction of the call failed');
  if (round.status !== 'open') return walletError('GAMEROUNDNOTACTIVE', round.status);

  if (type === 'credit') {
    const balance = (state.balance ?? 0) + amount;
    if (!Number.isSafeInteger(balance)) return walletError('INVALIDREQUEST', 'amount too large');
    state.balance = balance;
  } else {
    round.status = 'closed';
  }
  round.processed[keyOf(type, hash)] = { amount };
  return undefined;
}

/** A void is processed in any state of the round. It gives the debit back once. */
function voidDebit(state: WalletState, call: WalletCall, transaction: WalletTransaction): undefined {
  const { hash } = transaction;
  const round = roundOf(state, call, transaction);
  if (round.processed[keyOf('void', hash)] !== undefined) return;
  const taken = round.processed[keyOf('debit', hash)];
  const amount = taken === undefined || taken.errorCode !== undefined ? 0 : taken.amount;
  if (state.balance !== undefined) state.balance += amount;
  round.processed[keyOf('void', hash)] = { amount };
  if (hash.toLowerCase() === round.initialDebit) round.status = 'voided';
}

/** The same hash with another amount is an error of the caller. */
function mismatch(before: number, now: number): ErrorObject | undefined {
  return before === now ? undefined : walletError('IDEMPOTENCYMISMATCH');
}
