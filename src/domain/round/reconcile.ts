import { errorIn, errorObject, type ErrorObject } from '../errors';
import { isObject } from '../is-object';
import { normalId } from '../hashes';
import { missingIn, readBalance } from '../classify-wallet-reply';
import type { OperatorTransaction, WalletAnswer, WalletBalance } from '../wallet-call';
import { toOperatorTransaction } from './create-round';
import { undecidedDebits, voidedHashes } from './transactions';
import type { RoundSnapshot, RoundTransaction } from './types';

/**
 * The transactions that a reconciliation sends again (docs/interface#reconcile-transactions), in the original order, with the
 * original hashes and amounts. Declined transactions are left out. An unknown debit is sent only if the round has its void.
 */
export function transactionsToResend(round: RoundSnapshot): OperatorTransaction[] {
  const voided = voidedHashes(round.transactions);
  return round.transactions.filter((transaction) => isResent(transaction, voided)).map(toOperatorTransaction);
}

function isResent({ type, outcome, hash }: RoundTransaction, voided: Set<string>): boolean {
  if (type !== 'debit') return outcome !== 'declined';
  return outcome === 'accepted' || (outcome === 'unknown' && voided.has(hash));
}

/** The operator's reply, as the reconciliation returns it. */
export interface ReconcileOutcome {
  kind: 'accepted' | 'rejected' | 'unreachable' | 'nothing';
  hashesProcessed: { hash: string; errorCode?: ErrorObject | undefined }[];
  errorCode?: ErrorObject | undefined;
  balance?: WalletBalance | undefined;
}

export const NOTHING_TO_RESEND: ReconcileOutcome = { kind: 'nothing', hashesProcessed: [] };

/** Reads the wallet's reply. No outcome voids, cancels or crashes the round. `strictReplies`: see DeliveryHistory. */
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
  const balance = readBalance(body, sent[0]?.currency ?? '');
  if (status === 200 && errorCode === undefined) {
    if (strictReplies && missingIn(body, sent) !== undefined) return unreachable;
    const all = [...new Set(sent.map(({ hash }) => hash))].map((hash) => ({ hash }));
    return { kind: 'accepted', hashesProcessed: listed.length > 0 ? listed : all, balance };
  }
  return {
    kind: 'rejected',
    hashesProcessed: listed,
    errorCode: errorCode ?? errorObject('WALLETUNAVAILABLE'),
    balance,
  };
}

/**
 * The hashes that the operator's reply confirms, if they include all that a crashed round still owes. Undefined if the reply
 * leaves something open.
 */
export function settledBy(round: RoundSnapshot, outcome: ReconcileOutcome): string[] | undefined {
  const resent = transactionsToResend(round).map(({ hash }) => hash);
  const confirmed = outcome.kind === 'accepted' ? resent : processedIn(outcome);
  // An unknown debit without a void was not sent again, so the reply says nothing about it.
  if (undecidedDebits(round.transactions).length > 0) return undefined;
  const owed = round.transactions.filter(
    ({ type, outcome: known }) => type !== 'debit' && known === 'pending',
  );
  if (outcome.kind !== 'accepted' && owed.length === 0) return undefined;
  return owed.every(({ hash }) => confirmed.includes(hash)) ? confirmed : undefined;
}

/**
 * Whether the reply confirms the voids of the round. The debit of a voided round is an error (docs/interface#void-any-state).
 * It has the hash of its void, so the void's entry is the last of as many entries as were sent with this hash.
 */
export function confirmsVoids(round: RoundSnapshot, { kind, hashesProcessed }: ReconcileOutcome): boolean {
  if (kind !== 'rejected') return kind === 'accepted';
  const sent = transactionsToResend(round);
  const isConfirmed = ({ hash }: OperatorTransaction): boolean => {
    const listed = hashesProcessed.filter((entry) => entry.hash === hash);
    const isWhole = listed.length === sent.filter((one) => one.hash === hash).length;
    return isWhole && listed.at(-1)?.errorCode === undefined;
  };
  return sent.filter(({ type }) => type === 'void').every(isConfirmed);
}

/** Hashes that are listed without an error. A hash that is listed with and without an error stays open. */
function processedIn({ hashesProcessed }: ReconcileOutcome): string[] {
  const failed = new Set(hashesProcessed.filter(({ errorCode }) => errorCode).map(({ hash }) => hash));
  return hashesProcessed.map(({ hash }) => hash).filter((hash) => !failed.has(hash));
}

/** The listed transactions under the hashes that were sent; the operator may write them in capitals. */
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
