import { errorIn, errorObject, type ErrorObject } from '../errors';
import { normalId } from '../hashes';
import { missingIn, readBalance } from '../classify-wallet-reply';
import type { OperatorTransaction, WalletAnswer, WalletBalance } from '../wallet-call';
import { toOperatorTransaction } from './create-round';
import { undecidedDebits, voidedHashes } from './transactions';
import type { RoundSnapshot, RoundTransaction } from './types';

/**
 * What reconciliation sends again (docs/interface#reconcile-transactions): everything in its original order, with original
 * hashes and amounts. A declined debit never; an unknown one only where its void comes after it.
 */
export function transactionsToResend(round: RoundSnapshot): OperatorTransaction[] {
  const voided = voidedHashes(round.transactions);
  return round.transactions.filter((transaction) => isResent(transaction, voided)).map(toOperatorTransaction);
}

function isResent({ type, outcome, hash }: RoundTransaction, voided: Set<string>): boolean {
  if (type !== 'debit') return outcome !== 'declined';
  return outcome === 'accepted' || (outcome === 'unknown' && voided.has(hash));
}

/** The operator's answer, mirrored. */
export interface ReconcileOutcome {
  kind: 'accepted' | 'refused' | 'unreachable' | 'nothing';
  hashesProcessed: { hash: string; errorCode?: ErrorObject }[];
  errorCode?: ErrorObject;
  balance?: WalletBalance;
}

export const NOTHING_TO_RESEND: ReconcileOutcome = { kind: 'nothing', hashesProcessed: [] };

/**
 * No outcome ever voids, cancels or crashes: it is told, and that is all. `strictReplies`: see DeliveryFacts.
 */
export function readReconcileAnswer(
  sent: readonly OperatorTransaction[],
  answer: WalletAnswer,
  strictReplies = false,
): ReconcileOutcome {
  const unreachable = { kind: 'unreachable' as const, hashesProcessed: [] };
  if (answer.kind === 'no-response' || !isObject(answer.body)) return unreachable;
  const { status, body } = answer;
  if (status !== 200 && (status < 400 || status >= 500 || status === 408)) return unreachable;
  const listed = readHashes(body.hashesProcessed, status, sent);
  const errorCode = errorIn(body, status) ?? listed.find((item) => item.errorCode !== undefined)?.errorCode;
  const balance = readBalance(body);
  if (status === 200 && errorCode === undefined) {
    if (strictReplies && missingIn(body, sent) !== undefined) return unreachable;
    const all = [...new Set(sent.map(({ hash }) => hash))].map((hash) => ({ hash }));
    return { kind: 'accepted', hashesProcessed: listed.length > 0 ? listed : all, balance };
  }
  return {
    kind: 'refused',
    hashesProcessed: listed,
    errorCode: errorCode ?? errorObject('WALLETUNAVAILABLE'),
    balance,
  };
}

/** What a crashed round still owes, or undefined where the operator's answer leaves some of it open. */
export function settledBy(round: RoundSnapshot, outcome: ReconcileOutcome): string[] | undefined {
  const resent = transactionsToResend(round).map(({ hash }) => hash);
  const confirmed = outcome.kind === 'accepted' ? resent : processedIn(outcome);
  // An unknown debit that nothing takes back: no answer to what was resent says what became of it.
  if (undecidedDebits(round.transactions).length > 0) return undefined;
  const owed = round.transactions.filter(
    ({ type, outcome: known }) => type !== 'debit' && known === 'pending',
  );
  if (outcome.kind !== 'accepted' && owed.length === 0) return undefined;
  return owed.every(({ hash }) => confirmed.includes(hash)) ? confirmed : undefined;
}

/** What is listed both with an error and without one is open. */
function processedIn({ hashesProcessed }: ReconcileOutcome): string[] {
  const failed = new Set(hashesProcessed.filter(({ errorCode }) => errorCode).map(({ hash }) => hash));
  return hashesProcessed.map(({ hash }) => hash).filter((hash) => !failed.has(hash));
}

/** Under the hashes that were sent, however the operator writes them. */
function readHashes(
  value: unknown,
  status: number,
  sent: readonly OperatorTransaction[],
): ReconcileOutcome['hashesProcessed'] {
  if (!Array.isArray(value)) return [];
  const known = new Map(sent.map(({ hash }) => [normalId(hash), hash]));
  return value.filter(isObject).flatMap((item) => {
    const hash = typeof item.hash === 'string' ? known.get(normalId(item.hash)) : undefined;
    if (hash === undefined) return [];
    const errorCode = errorIn(item, status);
    return [errorCode === undefined ? { hash } : { hash, errorCode }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
