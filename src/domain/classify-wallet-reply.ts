import { ERRORS, errorIn, errorObject, type ErrorObject } from './errors';
import { isObject } from './is-object';
import { normalId } from './hashes';
import { exactSum, MAX_AMOUNT } from './money';
import { bytesOf } from './texts';
import type {
  CreditCall,
  DebitCall,
  DebitOutcome,
  OperatorTransaction,
  PayoutOutcome,
  RetryableOutcome,
  VoidCall,
  WalletAnswer,
  WalletBalance,
  WalletCall,
  WalletOutcome,
} from './wallet-call';

/** What is known about a call besides the wallet's reply. */
export interface DeliveryHistory {
  /**
   * An earlier delivery may have reached the wallet although its reply was not recorded (a worker died). Then a debit is
   * accepted or unknown, never declined: the wallet may have rejected the redelivery and not the bet.
   */
  redelivered: boolean;
  /** From earlier deliveries of the same call. */
  maybePaid: boolean;
  creditAccepted: boolean;
  /** The service retries a credit of this operator after these error ids. */
  repeatableErrorIds: readonly number[];
  /** Each 200 of this operator must list every processed hash and have a balance in the round's currency. */
  strictReplies: boolean;
}

interface ReadAnswer {
  status: number;
  /** The body, if it is a JSON object. */
  body?: Record<string, unknown> | undefined;
  topLevelError?: ErrorObject | undefined;
  balance?: WalletBalance | undefined;
}

/** Decides the outcome of one delivery (docs/interface/operator-api.md, rules 1 to 8; docs/interface#outcomes). */
export function classifyWalletReply(
  call: WalletCall,
  answer: WalletAnswer,
  facts: DeliveryHistory,
): WalletOutcome {
  if (answer.kind === 'no-response') return classifyNoResponse(call, answer, facts);
  const read = readAnswer(answer, call.transactions[0].currency);
  switch (call.purpose) {
    case 'debit':
      return classifyDebitReply(call, read, facts);
    case 'credit':
      return classifyCreditReply(call, read, facts);
    case 'void':
      return classifyVoidReply(call, read, facts);
  }
}

function classifyNoResponse(
  call: WalletCall,
  { reason, unsent }: WalletAnswer & { kind: 'no-response' },
  facts: DeliveryHistory,
): WalletOutcome {
  // A delivery that was certainly not sent moved no money. An earlier delivery may have.
  const isHarmless = unsent === true && !facts.redelivered;
  if (call.purpose === 'debit') {
    return isHarmless
      ? { kind: 'declined', unauthorised: true, processed: false, notSent: reason }
      : { kind: 'unknown', reason };
  }
  return {
    kind: 'retryable',
    reason,
    ...(unsent === true ? { notSent: unsent } : {}),
    creditAccepted: facts.creditAccepted,
    maybePaid: facts.maybePaid || (has(call, 'credit') && !isHarmless),
  };
}

function classifyDebitReply(
  { transactions: [debit, end] }: DebitCall,
  read: ReadAnswer,
  facts: DeliveryHistory,
): DebitOutcome {
  const verdict = resultFor(read, debit.hash);
  if (read.status === 200) {
    if (read.body === undefined) return { kind: 'unknown', reason: '200 without a JSON object' };
    if (verdict.error) return { kind: 'unknown', reason: `200 with error ${describe(verdict.error)}` };
    const missing = facts.strictReplies ? missingIn(read.body, [debit]) : undefined;
    if (missing !== undefined) return { kind: 'unknown', reason: missing };
    const endRejected = end && endErrorIn(read, end, facts);
    return { kind: 'accepted', endRejected, balance: read.balance };
  }
  if (!isClientError(read.status)) return { kind: 'unknown', reason: `status ${read.status}` };
  if (facts.redelivered) return { kind: 'unknown', reason: `status ${read.status} to a repeated delivery` };
  const errorCode = verdict.error ?? read.topLevelError;
  return {
    kind: 'declined',
    unauthorised: isUnauthorised(read, errorCode),
    errorCode,
    // A proxy on the way may have sent the call twice. Then id 12 answers the second one, and the first may have been taken.
    processed:
      verdict.processed ||
      (debit.isFirstDebit === true && errorCode?.id === ERRORS.GAMEROUNDALREADYSTARTED.id),
  };
}

/** With `strictReplies`, an end that is not listed counts as rejected: it is not known whether the wallet processed it. */
function endErrorIn(
  read: ReadAnswer,
  end: OperatorTransaction,
  { strictReplies }: DeliveryHistory,
): ErrorObject | undefined {
  const isMissing = strictReplies && listedIn(read.body, end.hash).length === 0;
  return resultFor(read, end.hash).error ?? (isMissing ? errorObject('WALLETUNAVAILABLE') : undefined);
}

function classifyCreditReply(call: CreditCall, read: ReadAnswer, facts: DeliveryHistory): PayoutOutcome {
  const credit = find(call, 'credit');
  const end = find(call, 'end');
  const creditVerdict = credit && resultFor(read, credit.hash);
  const endVerdict = end && resultFor(read, end.hash);
  const known = { creditAccepted: facts.creditAccepted, maybePaid: facts.maybePaid || facts.redelivered };
  const retryable = (reason: string, change: Partial<typeof known> = {}): RetryableOutcome => ({
    kind: 'retryable',
    reason,
    ...known,
    ...change,
  });
  const withoutAnswer = credit === undefined ? {} : { maybePaid: true };

  if (read.status === 200) {
    if (read.body === undefined) return retryable('200 without a JSON object', withoutAnswer);
    if (creditVerdict?.error)
      return retryable(`200 with error ${describe(creditVerdict.error)}`, withoutAnswer);
    if (endVerdict?.error) {
      return retryable(`200 with error ${describe(endVerdict.error)} for the end`, {
        creditAccepted: credit !== undefined,
      });
    }
    const missing = facts.strictReplies ? missingIn(read.body, call.transactions) : undefined;
    if (missing !== undefined) return retryable(missing, withoutAnswer);
    return { kind: 'accepted', balance: read.balance };
  }

  // Each transaction has its own outcome, whatever the reply says about the call as a whole.
  if (isClientError(read.status) && creditVerdict?.processed === true) known.creditAccepted = true;
  const creditProcessed = known.creditAccepted;
  const error = creditVerdict?.error ?? endVerdict?.error ?? read.topLevelError;
  if (isUnauthorised(read, error))
    return { kind: 'rejected', unauthorised: true, errorCode: error, ...known };
  if (read.status === 425 || read.status === 429) return retryable(`status ${read.status}`);
  if (!isClientError(read.status)) return retryable(`status ${read.status}`, withoutAnswer);

  if (error === undefined) return retryable(`status ${read.status} without an errorCode`);
  if (credit !== undefined && !creditProcessed && creditVerdict?.error === undefined) {
    // The error is about the end only. The reply does not mention the credit, so its outcome is unknown.
    return retryable(`status ${read.status} that leaves the credit open`, withoutAnswer);
  }
  if (facts.repeatableErrorIds.includes(error.id))
    return retryable(`status ${read.status}, ${describe(error)}`);
  if (credit === undefined || creditProcessed) {
    return { kind: 'accepted', endRejected: endVerdict?.error ?? error, balance: read.balance };
  }
  return { kind: 'rejected', unauthorised: false, errorCode: error, ...known };
}

function classifyVoidReply(
  { transactions: [transaction] }: VoidCall,
  read: ReadAnswer,
  facts: DeliveryHistory,
): PayoutOutcome {
  const { error } = resultFor(read, transaction.hash);
  const known = { creditAccepted: facts.creditAccepted, maybePaid: facts.maybePaid };
  if (read.status === 200 && read.body !== undefined && error === undefined) {
    return { kind: 'accepted', balance: read.balance };
  }
  if (isUnauthorised(read, error))
    return { kind: 'rejected', unauthorised: true, errorCode: error, ...known };
  if (read.status === 400 && read.body !== undefined && error?.id !== ERRORS.TRANSACTIONCOUNTMISMATCH.id) {
    return { kind: 'accepted', unconfirmed: !facts.redelivered };
  }
  const why = error === undefined ? '' : `, ${describe(error)}`;
  return { kind: 'retryable', reason: `status ${read.status}${why}`, ...known };
}

/** 408 is no definite answer: the wallet stopped waiting for the request. */
function isClientError(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

export function isUnauthorised(read: { status: number }, error: ErrorObject | undefined): boolean {
  return read.status === 401 || (read.status !== 200 && error?.id === ERRORS.SIGNATUREWRONG.id);
}

type Sent = Pick<WalletCall, 'transactions'>;

function find(call: Sent, type: OperatorTransaction['type']): OperatorTransaction | undefined {
  return call.transactions.find((transaction) => transaction.type === type);
}

export function has(call: Sent, type: OperatorTransaction['type']): boolean {
  return find(call, type) !== undefined;
}

/** What a 200 lacks for `strictReplies`. Without hashes and balance, the reply may not come from the wallet itself. */
export function missingIn(
  body: Record<string, unknown>,
  transactions: readonly OperatorTransaction[],
): string | undefined {
  const unlisted = transactions.find(({ hash }) => listedIn(body, hash).length === 0);
  if (unlisted !== undefined) return `200 that does not list the ${unlisted.type}`;
  const currency = transactions[0]?.currency ?? '';
  return readBalance(body, currency) === undefined ? `200 without a balance in ${currency}` : undefined;
}

export function describe(error: ErrorObject): string {
  return `${error.id} ${error.msg}`.trim();
}

/**
 * The reply's result for one transaction: its own error, or the top-level error if it isn't listed. A transaction that is
 * listed with and without an error may have been processed.
 */
function resultFor(read: ReadAnswer, hash: string): { processed: boolean; error?: ErrorObject | undefined } {
  const listed = listedIn(read.body, hash);
  if (listed.length === 0) return { processed: false, error: read.topLevelError };
  const errors = listed.map((item) => errorIn(item, read.status));
  return { processed: errors.includes(undefined), error: errors.find((found) => found !== undefined) };
}

function listedIn(body: ReadAnswer['body'], hash: string): unknown[] {
  return asArray(body?.hashesProcessed).filter((item) => hashIn(item) === normalId(hash));
}

/** The hash of an entry of `hashesProcessed`. */
export function hashIn(item: unknown): string | undefined {
  return isObject(item) && typeof item.hash === 'string' ? normalId(item.hash) : undefined;
}

function readAnswer({ status, body }: { status: number; body: unknown }, currency: string): ReadAnswer {
  if (!isObject(body)) return { status };
  return { status, body, topLevelError: errorIn(body, status), balance: readBalance(body, currency) };
}

const MAX_BALANCES = 20;
const MAX_TICKETS = 200;
const MAX_BALANCE_NAME = 64;
const MAX_BALANCE_EXTRA_BYTES = 32 * 1024;

/**
 * The balances of a wallet's reply in the currency of the call; undefined if there is no readable one. An amount in another
 * currency would be shown as one of the session's.
 */
export function readBalance(body: unknown, currency: string): WalletBalance | undefined {
  if (!isObject(body)) return undefined;
  const balances = asArray(body.balances)
    .filter((item) => isObject(item) && item.currency === currency)
    .slice(0, MAX_BALANCES)
    .flatMap((item) => readBalanceItem(item, currency));
  if (balances.length === 0) return undefined;
  const listsTickets = Array.isArray(body.tickets) || Array.isArray(body.freePlays);
  const tickets = [...asArray(body.tickets), ...asArray(body.freePlays)]
    .filter(isObject)
    .slice(0, MAX_TICKETS);
  return {
    balances,
    ...(typeof body.useBonusFirst === 'boolean' ? { useBonusFirst: body.useBonusFirst } : {}),
    ...(isObject(body.discountInfo) && isSmall(body.discountInfo) ? { discountInfo: body.discountInfo } : {}),
    ...(listsTickets ? { tickets: fitting(tickets) } : {}),
  };
}

/** The first tickets, as many as fit. */
function fitting(tickets: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  let bytes = 0;
  return tickets.filter((ticket) => {
    const size = sizeOf(ticket);
    if (size > MAX_BALANCE_EXTRA_BYTES) return false;
    bytes += size;
    return bytes <= MAX_BALANCE_EXTRA_BYTES;
  });
}

function isSmall(value: unknown): boolean {
  return sizeOf(value) <= MAX_BALANCE_EXTRA_BYTES;
}

/** In bytes, since every reply is stored in the workflow's history. Infinite for a value that is nested too deeply to be written. */
function sizeOf(value: unknown): number {
  try {
    return bytesOf(JSON.stringify(value));
  } catch {
    return Infinity;
  }
}

function readBalanceItem(item: unknown, currency: string): WalletBalance['balances'] {
  // Larger amounts are ignored: their sum could be infinite.
  if (!isObject(item) || typeof item.amount !== 'number' || !(Math.abs(item.amount) <= MAX_AMOUNT)) return [];
  return [
    {
      type: typeof item.type === 'string' ? item.type.slice(0, MAX_BALANCE_NAME) : 'real',
      amount: item.amount,
      currency,
    },
  ];
}

/** `balance.totalBalance`: the sum of the balances. */
export function totalBalance(balance: WalletBalance): number {
  return exactSum(balance.balances.map(({ amount }) => amount));
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
