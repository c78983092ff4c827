import { belongsToOther, Decision, discountOf, keyOf, type Ledger } from './ledger';
import type {
  Balance,
  CallHead,
  ErrorObject,
  LedgerEvent,
  Movement,
  Round,
  TransactionResult,
  TransactionsCall,
  WalletTransaction,
} from './ledger-types';
import { walletError } from './wallet-errors';

/** The error if the whole call is refused and not processed (docs/interface#no-debit-after-end, #transaction-count). */
export function refusalOfCall(
  ledger: Ledger,
  call: TransactionsCall,
  count: number,
): ErrorObject | undefined {
  if (count !== call.transactions.length) return walletError('TRANSACTIONCOUNTMISMATCH');
  const firstEnd = call.transactions.findIndex(({ type }) => type === 'end');
  const debitAfterEnd =
    firstEnd >= 0 && call.transactions.slice(firstEnd).some(({ type }) => type === 'debit');
  if (debitAfterEnd) return walletError('INVALIDREQUEST', 'a debit follows an end');
  if (belongsToOther(ledger, call))
    return walletError('INVALIDREQUEST', 'gameRound of another player or game');
  return undefined;
}

export type RefusalOf = (transaction: WalletTransaction) => ErrorObject | undefined;

export interface Processed {
  results: TransactionResult[];
  events: LedgerEvent[];
}

/**
 * Processes the transactions in order. Each is idempotent on (type, hash). After a failed transaction, new credits and ends of
 * the call are refused. A transaction for which `refusalOf` returns an error is not processed and counts as failed.
 */
export function processCall(
  ledger: Ledger,
  call: TransactionsCall,
  at: string,
  refusalOf: RefusalOf = () => undefined,
): Processed {
  const decision = new Decision(ledger, at);
  const results: TransactionResult[] = [];
  let failed: 'debit' | 'other' | undefined;
  for (const transaction of call.transactions) {
    const errorCode = refusalOf(transaction) ?? processOne(decision, call, transaction, failed);
    const { type, hash } = transaction;
    results.push(errorCode === undefined ? { type, hash } : { type, hash, errorCode });
    if (errorCode !== undefined && failed !== 'debit') failed = type === 'debit' ? 'debit' : 'other';
  }
  return { results, events: decision.events };
}

function processOne(
  decision: Decision,
  call: TransactionsCall,
  transaction: WalletTransaction,
  failed: 'debit' | 'other' | undefined,
): ErrorObject | undefined {
  const { type, hash } = transaction;
  const seenIn = decision.ledger.roundOfHash.get(keyOf(type, hash));
  if (seenIn !== undefined && seenIn !== call.gameRound) {
    return walletError('IDEMPOTENCYMISMATCH', 'hash of another gameRound');
  }
  switch (type) {
    case 'debit':
      return debit(decision, call, transaction);
    case 'credit':
      return credit(decision, call, transaction, failed);
    case 'end':
      return end(decision, call, transaction, failed);
    case 'void':
      return voidDebit(decision, call, transaction);
  }
}

function debit(decision: Decision, call: CallHead, transaction: WalletTransaction): ErrorObject | undefined {
  const { hash, currency = '', isFirstDebit } = transaction;
  const round = decision.ledger.rounds.get(call.gameRound);
  const before = round?.debits.get(hash);
  if (round?.status === 'voided') return walletError('ROUNDVOIDED');
  if (before !== undefined) return mismatch(before, transaction);
  // The void arrived before its debit. The debit counts as voided and moves no money.
  if (round?.voids.has(hash)) return undefined;
  const refusedBefore = round?.refused.get(hash);
  if (refusedBefore !== undefined) return refusedBefore.errorCode;
  if (isFirstDebit === undefined) return walletError('INVALIDREQUEST', 'isFirstDebit');
  if (!isFirstDebit && round === undefined) return walletError('GAMEROUNDNOTSTARTED');

  const errorCode =
    refusalByRound(decision, round, isFirstDebit, currency) ?? payDebit(decision, call, transaction);
  if (errorCode === undefined) return undefined;
  decision.record({
    kind: 'debitRefused',
    at: decision.at,
    call: { playerId: call.playerId, gameCode: call.gameCode, gameRound: call.gameRound },
    currency,
    refused: { hash, isFirstDebit, errorCode },
  });
  return errorCode;
}

function refusalByRound(
  decision: Decision,
  round: Round | undefined,
  isFirstDebit: boolean,
  currency: string,
): ErrorObject | undefined {
  if (currency === '') return walletError('INVALIDREQUEST', 'currency');
  if (round === undefined) {
    const full = decision.ledger.rounds.size >= decision.ledger.options.maxRounds;
    return full ? walletError('SANDBOXFULL') : undefined;
  }
  if (isFirstDebit) return walletError('GAMEROUNDALREADYSTARTED');
  if (round.status !== 'open') return walletError('GAMEROUNDNOTACTIVE');
  return round.currency === currency ? undefined : walletError('INVALIDREQUEST', 'currency of the gameRound');
}

function payDebit(
  decision: Decision,
  call: CallHead,
  transaction: WalletTransaction,
): ErrorObject | undefined {
  const { amount, serial } = transaction;
  if (serial !== undefined) return payWithTicket(decision, call, transaction, serial);
  if (amount === undefined) return walletError('INVALIDREQUEST', 'amount or serial');
  return payWithMoney(decision, call, transaction, amount);
}

function payWithTicket(
  decision: Decision,
  call: CallHead,
  transaction: WalletTransaction,
  serial: string,
): ErrorObject | undefined {
  const { amount, currency = '' } = transaction;
  if (amount !== undefined && amount !== 0) return walletError('INVALIDREQUEST', 'amount beside a serial');
  const ticket = decision.ledger.tickets.get(keyOf(call.playerId, serial));
  const usable = ticket?.gameCode === call.gameCode && ticket.currency === currency && ticket.count > 0;
  if (!usable) return walletError('NOTICKETAVAILABLE');
  decision.account(call.playerId, currency);
  move(decision, call, transaction, currency, { amount: 0, realDelta: 0, bonusDelta: 0, serial });
  return undefined;
}

function payWithMoney(
  decision: Decision,
  call: CallHead,
  transaction: WalletTransaction,
  amount: number,
): ErrorObject | undefined {
  const { currency = '' } = transaction;
  const balance = decision.account(call.playerId, currency);
  const campaign = discountOf(decision.ledger, call.playerId, currency, decision.at);
  const offer = campaign?.discounts.find(
    ({ stake, spinsRemaining }) => stake === amount && spinsRemaining > 0,
  );
  // The debit has the full stake. The operator subtracts its own discount; the result is never below 0.
  const discountAmount = Math.min(offer?.absoluteDiscountAmount ?? 0, amount);
  const toPay = amount - discountAmount;
  if (toPay > balance.real + balance.bonus) return walletError('INSUFFICIENTFUNDS');
  const discounted =
    offer && campaign ? { discountAmount, discountCampaignId: campaign.campaignId } : undefined;
  move(decision, call, transaction, currency, { amount, ...takeFrom(balance, toPay), ...discounted });
  return undefined;
}

/** Bonus money is used first (`useBonusFirst` in this operator's replies). */
function takeFrom(balance: Balance, amount: number): { realDelta: number; bonusDelta: number } {
  const fromBonus = Math.min(balance.bonus, amount);
  const fromReal = amount - fromBonus;
  return { realDelta: fromReal === 0 ? 0 : -fromReal, bonusDelta: fromBonus === 0 ? 0 : -fromBonus };
}

function credit(
  decision: Decision,
  call: CallHead,
  transaction: WalletTransaction,
  failed: 'debit' | 'other' | undefined,
): ErrorObject | undefined {
  const round = decision.ledger.rounds.get(call.gameRound);
  const before = round?.credits.get(transaction.hash);
  if (round !== undefined && round.status !== 'voided' && before !== undefined) {
    return mismatch(before, transaction);
  }
  const refused = refusalOfClosing(round, failed);
  if (refused !== undefined || round === undefined) return refused;
  const { amount, currency } = transaction;
  if (currency !== round.currency) return walletError('INVALIDREQUEST', 'currency of the gameRound');
  if (amount === undefined) return walletError('INVALIDREQUEST', 'amount');
  const balance = decision.account(call.playerId, round.currency);
  if (!Number.isSafeInteger(balance.real + balance.bonus + amount)) {
    return walletError('INVALIDREQUEST', 'amount too large');
  }
  move(decision, call, transaction, round.currency, { amount, realDelta: amount, bonusDelta: 0 });
  return undefined;
}

function end(
  decision: Decision,
  call: CallHead,
  transaction: WalletTransaction,
  failed: 'debit' | 'other' | undefined,
): ErrorObject | undefined {
  const round = decision.ledger.rounds.get(call.gameRound);
  if (round !== undefined && round.status !== 'voided' && round.ends.has(transaction.hash)) return undefined;
  const refused = refusalOfClosing(round, failed);
  if (refused !== undefined || round === undefined) return refused;
  move(decision, call, transaction, round.currency, { amount: 0, realDelta: 0, bonusDelta: 0 });
  return undefined;
}

/** The error that refuses a new credit or end. Undefined only if the round is open. */
function refusalOfClosing(
  round: Round | undefined,
  failed: 'debit' | 'other' | undefined,
): ErrorObject | undefined {
  if (round?.status === 'voided') return walletError('ROUNDVOIDED');
  if (failed === 'debit' || round?.status === 'failed') return walletError('DEBITFAILED');
  if (failed === 'other') return walletError('NOTPROCESSED', 'an earlier transaction of the call failed');
  if (round === undefined) return walletError('GAMEROUNDNOTSTARTED');
  return round.status === 'closed' ? walletError('GAMEROUNDNOTACTIVE') : undefined;
}

/** A void is processed in any state of the round. It gives the debit back once, to the balances that paid it. */
function voidDebit(decision: Decision, call: CallHead, transaction: WalletTransaction): undefined {
  const { ledger } = decision;
  const round = ledger.rounds.get(call.gameRound);
  if (round?.voids.has(transaction.hash)) return undefined;
  takeBack(decision, call, transaction, round);
  if (!ledger.options.voidsWholeRound || round === undefined) return undefined;
  for (const hash of round.debits.keys()) {
    if (!round.voids.has(hash)) takeBack(decision, call, { ...transaction, hash }, round);
  }
  return undefined;
}

function takeBack(
  decision: Decision,
  call: CallHead,
  transaction: WalletTransaction,
  round: Round | undefined,
): void {
  const taken = round?.debits.get(transaction.hash);
  const currency = round?.currency ?? transaction.currency ?? '';
  if (taken === undefined) {
    if (currency !== '') decision.account(call.playerId, currency);
    move(decision, call, transaction, currency, { amount: 0, realDelta: 0, bonusDelta: 0 });
    return;
  }
  const { amount, realDelta, bonusDelta, serial, discountAmount, discountCampaignId } = taken;
  move(decision, call, transaction, currency, {
    amount,
    realDelta: realDelta === 0 ? 0 : -realDelta,
    bonusDelta: bonusDelta === 0 ? 0 : -bonusDelta,
    ...(serial === undefined ? {} : { serial }),
    ...(discountCampaignId === undefined ? {} : { discountAmount: discountAmount ?? 0, discountCampaignId }),
  });
}

/** The error if a repeat has another amount, currency or ticket than the first transaction with its hash. */
function mismatch(before: Movement, transaction: WalletTransaction): ErrorObject | undefined {
  const same =
    before.amount === (transaction.amount ?? 0) &&
    before.currency === transaction.currency &&
    before.serial === transaction.serial;
  return same ? undefined : walletError('IDEMPOTENCYMISMATCH');
}

type Effect = Pick<Movement, 'amount' | 'realDelta' | 'bonusDelta'> &
  Partial<Pick<Movement, 'serial' | 'discountAmount' | 'discountCampaignId'>>;

function move(
  decision: Decision,
  call: CallHead,
  transaction: WalletTransaction,
  currency: string,
  effect: Effect,
): void {
  const { playerId, gameCode, gameRound } = call;
  const { type, hash } = transaction;
  decision.move({ type, hash, playerId, currency, gameRound, gameCode, ...effect });
}
