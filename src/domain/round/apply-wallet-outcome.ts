import { errorObject, refusal, type ErrorObject, type Refusal } from '../errors';
import { describe, totalBalance } from '../classify-wallet-reply';
import { addAmounts } from '../money';
import type {
  AcceptedOutcome,
  DebitOutcome,
  DeclinedOutcome,
  PayoutOutcome,
  RejectedOutcome,
  RetryableOutcome,
  WalletBalance,
  WalletOutcome,
} from '../wallet-call';
import { setMark } from './marks';
import { recomputeOpenWinnings, stakeOf } from './winnings';
import { answered, cancelRound, collectAndEnd, crash, sendNextVoid, voidDone, withEntry } from './decide';
import type {
  Answer,
  PendingCall,
  PendingCredit,
  PendingDebit,
  PendingVoid,
  RoundState,
  RoundTransaction,
  TransactionOutcome,
} from './types';

/**
 * Applies the outcome of the pending wallet call to the round (docs/interface#outcomes).
 * If another call follows, it is in `pending` of the result.
 */
export function applyWalletOutcome(state: RoundState, outcome: WalletOutcome, at: string): RoundState {
  const { pending } = state;
  if (pending?.purpose === 'debit' && isOfDebit(outcome))
    return applyDebitOutcome(state, pending, outcome, at);
  if (pending?.purpose === 'credit' && isOfPayout(outcome))
    return applyCreditOutcome(state, pending, outcome, at);
  if (pending?.purpose === 'void' && isOfPayout(outcome))
    return applyVoidOutcome(state, pending, outcome, at);
  // Outcomes are classified by the purpose of their call, and a person's are checked (src/contracts/activity-results.ts).
  throw new TypeError(`no pending ${pending?.purpose ?? 'call'} can be ${outcome.kind}`);
}

function isOfDebit(outcome: WalletOutcome): outcome is DebitOutcome {
  return outcome.kind !== 'retryable' && outcome.kind !== 'rejected';
}

function isOfPayout(outcome: WalletOutcome): outcome is PayoutOutcome {
  return outcome.kind !== 'declined' && outcome.kind !== 'unknown';
}

function applyDebitOutcome(
  state: RoundState,
  call: PendingDebit,
  outcome: DebitOutcome,
  at: string,
): RoundState {
  switch (outcome.kind) {
    case 'accepted':
      return debitAccepted(state, call, outcome, at);
    case 'declined': {
      const noted = withError(state, call, outcome.errorCode);
      const judged = outcome.processed ? 'unknown' : 'declined';
      return debitFailed(noted, call, judged, refusalFor(outcome, 'DEBITDECLINED'), at);
    }
    case 'unknown':
      return debitFailed(state, call, 'unknown', refusal('WALLETUNAVAILABLE'), at);
  }
}

function debitAccepted(
  state: RoundState,
  call: PendingDebit,
  outcome: AcceptedOutcome,
  at: string,
): RoundState {
  const balanceAfter = outcome.balance && totalBalance(outcome.balance);
  const debited = withOutcome(state, call, 'debit', 'accepted', balanceAfter);
  const won = call.entry.result.winAmount;
  const taken: RoundState = {
    ...withEntry(debited, call.entry),
    stake: stakeOf(debited),
    amountToCollect: addAmounts(debited.amountToCollect, won) ?? debited.amountToCollect,
    pending: undefined,
  };
  // Its call had no end.
  if (call.endAfterwards) return collectAndEnd(taken, call.commandKey, 'startGameRound', at);
  return answeredWithEnd(taken, call, outcome, { balance: outcome.balance }, at);
}

/** Answers the command of an accepted debit or credit. Its call closes the round if it had an end; a rejected end crashes it. */
function answeredWithEnd(
  state: RoundState,
  call: PendingDebit | PendingCredit,
  { endRejected, balance }: AcceptedOutcome,
  about: Partial<Answer>,
  at: string,
): RoundState {
  const key = call.commandKey;
  if (endRejected !== undefined) return crash(state, key, rejectedEnd(endRejected), about);
  const ends = call.transactions.some(({ type }) => type === 'end');
  const after = ends
    ? close(withOutcome(state, call, 'end', 'accepted', balance && totalBalance(balance)), at)
    : state;
  return answered(after, key, about);
}

/** The reason of the voids after a failed debit. A declined one owes no void. */
const DEBIT_UNKNOWN = 'debit outcome unknown';

/**
 * A failed initial debit ends the round. A failed follow-up debit leaves the round open. A debit with an unknown outcome is
 * voided. For an operator with `voidsWholeRound`, an unknown follow-up debit voids the whole round, or crashes it if a
 * credit may have been paid. A round whose next credit may have been sent crashes, too.
 */
function debitFailed(
  state: RoundState,
  call: PendingDebit,
  outcome: 'declined' | 'unknown',
  why: Refusal,
  at: string,
): RoundState {
  const { commandKey: key } = call;
  const [{ isFirstDebit: first, hash }] = call.transactions;
  const judged = withOutcome(state, call, 'debit', outcome);
  const failed: RoundState = { ...withOutcome(judged, call, 'end', 'declined'), pending: undefined };
  if (call.creditMaybeSent) return crash(failed, key, why);
  if (first) return answered(cancelRound(failed, DEBIT_UNKNOWN, at), key, { refusal: why });
  if (outcome === 'declined') return answered(failed, key, { refusal: why });
  if (!state.settings.voidsWholeRound) {
    return answered(sendNextVoid({ ...failed, voidsToCome: [hash] }, DEBIT_UNKNOWN, at), key, {
      refusal: why,
    });
  }
  if (creditMayHaveBeenPaid(failed)) return crash(failed, key, why);
  return answered(cancelRound(failed, DEBIT_UNKNOWN, at), key, { refusal: why });
}

function applyCreditOutcome(
  state: RoundState,
  call: PendingCredit,
  outcome: PayoutOutcome,
  at: string,
): RoundState {
  switch (outcome.kind) {
    case 'accepted':
      return creditAccepted(state, call, outcome, at);
    case 'retryable':
      return retryLater(noteCredit(state, call, outcome), call, outcome);
    case 'rejected':
      return creditRejected(noteCredit(state, call, outcome), call, outcome, at);
  }
}

function creditAccepted(
  state: RoundState,
  call: PendingCredit,
  outcome: AcceptedOutcome,
  at: string,
): RoundState {
  const { balance } = outcome;
  const amount = call.transactions.find(({ type }) => type === 'credit')?.amount ?? 0;
  const collected = recomputeOpenWinnings({ ...creditDone(state, call, balance), pending: undefined });
  return answeredWithEnd(collected, call, outcome, { amountCredited: amount, balance }, at);
}

/**
 * The operator rejects the credit for good, so the bets are voided. The round is crashed instead if a credit was paid or may
 * have been paid, or if a reconciliation asked (it never voids). After a rejected signature the round waits: the rejection says
 * nothing about the credit.
 */
function creditRejected(
  state: RoundState,
  call: PendingCredit,
  outcome: RejectedOutcome,
  at: string,
): RoundState {
  if (outcome.unauthorised) return awaitOperator(state, call, outcome);
  const key = call.commandKey;
  const why = refusalFor(outcome, 'WALLETUNAVAILABLE');
  if (call.forReconciliation || creditMayHaveBeenPaid(state))
    return crash({ ...state, pending: undefined }, key, why);
  const rejected = withOutcome(withOutcome(state, call, 'credit', 'declined'), call, 'end', 'declined');
  return answered(cancelRound({ ...rejected, pending: undefined }, 'credit refused', at), key, {
    refusal: why,
  });
}

function creditMayHaveBeenPaid(state: RoundState): boolean {
  return (
    state.maybePaid ||
    state.transactions.some(({ type, outcome }) => type === 'credit' && outcome === 'accepted')
  );
}

/** Keeps what a delivery says about the credit, even if the call as a whole has no definite outcome. */
function noteCredit(
  state: RoundState,
  call: PendingCredit,
  outcome: { creditAccepted: boolean; maybePaid: boolean },
): RoundState {
  const noted = { ...state, maybePaid: state.maybePaid || outcome.maybePaid };
  return outcome.creditAccepted ? recomputeOpenWinnings(creditDone(noted, call)) : noted;
}

function creditDone(state: RoundState, call: PendingCredit, balance?: WalletBalance): RoundState {
  return withOutcome(state, call, 'credit', 'accepted', balance && totalBalance(balance));
}

function applyVoidOutcome(
  state: RoundState,
  call: PendingVoid,
  outcome: PayoutOutcome,
  at: string,
): RoundState {
  switch (outcome.kind) {
    case 'accepted':
      return voidAccepted(state, call, outcome, at);
    case 'retryable':
      return retryLater(state, call, outcome);
    case 'rejected':
      return awaitOperator(state, call, outcome);
  }
}

function voidAccepted(
  state: RoundState,
  call: PendingVoid,
  outcome: AcceptedOutcome,
  at: string,
): RoundState {
  const { balance } = outcome;
  const done = withOutcome(state, call, 'void', 'accepted', balance && totalBalance(balance));
  const isUnconfirmed = done.keptMarks.includes('void-unconfirmed') || outcome.unconfirmed === true;
  return voidDone(setMark(done, 'void-unconfirmed', isUnconfirmed), at, balance);
}

/** Marks the pending debit: the credit that follows it may have been sent. */
export function creditMaybeSent(state: RoundState): RoundState {
  const { pending } = state;
  if (pending?.purpose !== 'debit') return state;
  return { ...state, maybePaid: true, pending: { ...pending, creditMaybeSent: true } };
}

/** Whether nothing is left to be sent to the wallet. */
export function owesNothing({ pending, voidsToCome }: RoundState): boolean {
  return pending === undefined && voidsToCome.length === 0;
}

/** Whether the first delivery of the pending call has failed. Other commands are refused meanwhile. */
export function isRetried({ pending }: RoundState): boolean {
  return pending !== undefined && pending.progress !== 'first-delivery';
}

/** Lets the round retry a call whose signature the operator did not accept. */
export function resume(state: RoundState): RoundState {
  if (state.pending?.progress !== 'awaiting-operator') return state;
  return { ...state, pending: { ...state.pending, progress: 'retrying' } };
}

function awaitOperator(
  state: RoundState,
  call: PendingCall,
  { signedWith, errorCode }: RejectedOutcome,
): RoundState {
  const lastAnswer = errorCode === undefined ? 'status 401' : `error ${describe(errorCode)}`;
  const pending: PendingCall = {
    ...call,
    progress: 'awaiting-operator',
    rejectedSecrets: signedWith,
    lastAnswer,
  };
  return { ...state, pending };
}

function retryLater(state: RoundState, call: PendingCall, { reason, notSent }: RetryableOutcome): RoundState {
  const lastAnswer = notSent ? call.lastAnswer : reason;
  return { ...state, pending: { ...call, progress: 'retrying', lastAnswer } };
}

function close(state: RoundState, at: string): RoundState {
  return { ...state, status: 'closed', closedAt: at };
}

function rejectedEnd(errorCode: ErrorObject): Refusal {
  return { status: 400, errorCode };
}

/** Passes the operator's own error through, except an error about our signature: that is not the provider's fault. */
function refusalFor(
  outcome: DeclinedOutcome | RejectedOutcome,
  otherwise: 'DEBITDECLINED' | 'WALLETUNAVAILABLE',
): Refusal {
  if (outcome.unauthorised) return refusal('WALLETUNAVAILABLE');
  if (outcome.errorCode === undefined) return refusal(otherwise);
  return { status: 400, errorCode: complete(outcome.errorCode) };
}

function complete(errorCode: ErrorObject): ErrorObject {
  const { clientmsg } = errorObject('DEBITDECLINED');
  return errorCode.clientmsg === '' ? { ...errorCode, clientmsg } : errorCode;
}

function withOutcome(
  state: RoundState,
  call: PendingCall,
  type: RoundTransaction['type'],
  outcome: TransactionOutcome,
  balanceAfter?: number,
): RoundState {
  const hashes = new Set(call.transactions.map(({ hash }) => hash));
  const transactions = state.transactions.map((transaction) =>
    transaction.type === type && hashes.has(transaction.hash)
      ? { ...transaction, outcome, ...(balanceAfter === undefined ? {} : { balanceAfter }) }
      : transaction,
  );
  return { ...state, transactions };
}

/** Stores the operator's error with the debit. A redelivery of the debit reuses it. */
function withError(state: RoundState, call: PendingDebit, errorCode: ErrorObject | undefined): RoundState {
  if (errorCode === undefined) return state;
  const [debit] = call.transactions;
  const transactions = state.transactions.map((transaction) =>
    transaction.type === 'debit' && transaction.hash === debit.hash
      ? { ...transaction, errorCode }
      : transaction,
  );
  return { ...state, transactions };
}
