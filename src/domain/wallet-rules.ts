import { errorIn, type ErrorObject } from './errors';
import { normalId } from './hashes';
import { asArray, describe, has, hashIn, isUnauthorised } from './classify-wallet-reply';
import { isObject } from './is-object';
import type { OperatorTransaction, WalletAnswer, WalletCall } from './wallet-call';

/** One delivery, for logs and metrics only. It decides nothing. */
export interface DeliveryReport {
  transactions: Pick<OperatorTransaction, 'type' | 'hash' | 'amount'>[];
  /** The kind of the WalletOutcome. */
  outcome: string;
  why: string;
  /** The rules that the wallet's reply breaks (docs/interface#wallet-rules). */
  brokenRules: WalletRule[];
}

/** A delivery report with its round and operator. */
export interface Delivery extends DeliveryReport {
  operatorId: string;
  gameround: string;
  purpose: string;
  /** The attempt number of the activity. */
  attempt: number;
}

/** What a reply to getBalance or doGameRoundReport was taken for, for logs and metrics only. */
export interface ReplyReport {
  operatorId: string;
  purpose: 'balance' | 'report';
  /** The round of a report. */
  gameround?: string | undefined;
  outcome: 'accepted' | 'rejected' | 'unreachable';
  why: string;
  brokenRules: WalletRule[];
}

/** The part of an outcome that the report needs. */
interface Judged {
  kind: string;
  reason?: string;
  errorCode?: ErrorObject | undefined;
  endRejected?: ErrorObject | undefined;
}

/** Limits the log line: a reconciliation sends all transactions of a round. */
const MAX_TRANSACTIONS = 100;

export function reportOf(call: WalletCall, answer: WalletAnswer, outcome: Judged): DeliveryReport {
  return {
    transactions: call.transactions
      .slice(0, MAX_TRANSACTIONS)
      .map(({ type, hash, amount }) => ({ type, hash, amount })),
    outcome: outcome.kind,
    why: whyOf(answer, outcome),
    brokenRules: brokenRules(call, answer),
  };
}

function whyOf(answer: WalletAnswer, { reason, errorCode, endRejected }: Judged): string {
  if (reason !== undefined) return reason;
  if (answer.kind === 'no-response') return answer.reason;
  const error = errorCode ?? endRejected;
  const rejected = endRejected === undefined ? '' : 'end rejected: ';
  return `status ${answer.status}${error === undefined ? '' : `, ${rejected}${describe(error)}`}`;
}

interface Reply {
  call: Pick<WalletCall, 'transactions'>;
  /** The currency of the call. */
  currency: string | undefined;
  status: number;
  /** The body, if it is a JSON object. */
  body?: Record<string, unknown> | undefined;
  /** The error of the call or of one of its transactions. */
  error?: ErrorObject | undefined;
  balances: unknown[];
  sent: Set<string | undefined>;
  listed: Set<string | undefined>;
}

const RULES = {
  'signature-rejected': (reply) => isUnauthorised(reply, reply.error),
  'not-json': ({ body }) => body === undefined,
  'wrong-status': ({ status }) => status !== 200 && status < 400,
  'credit-5xx': ({ call, status }) => has(call, 'credit') && status >= 500,
  'error-on-200': ({ status, error }) => status === 200 && error !== undefined,
  // A void of a round that is already voided may get a 400 without an errorCode.
  'no-error-code': ({ call, status, body, error }) =>
    !has(call, 'void') && needsErrorCode(status) && body !== undefined && error === undefined,
  'no-balances': (reply) => isDone(reply) && reply.balances.length === 0,
  'balance-amount': ({ balances }) => balances.some((item) => !isObject(item) || !isAmount(item.amount)),
  'balance-currency': (reply) =>
    isDone(reply) && reply.balances.length > 0 && !reply.balances.some((item) => isOfCall(item, reply)),
  'hash-not-listed': (reply) => isDone(reply) && [...reply.sent].some((hash) => !reply.listed.has(hash)),
  'unknown-hash': ({ sent, listed }) => [...listed].some((hash) => !sent.has(hash)),
} satisfies Record<string, (reply: Reply) => boolean>;

const NOTHING_SENT: Pick<WalletCall, 'transactions'> = { transactions: [] };

export type WalletRule = keyof typeof RULES;

/** The rules that the wallet's reply breaks. They do not depend on its outcome. */
export function brokenRules(call: WalletCall, answer: WalletAnswer): WalletRule[] {
  return brokenBy(call, call.transactions[0]?.currency, answer);
}

/** The rules that a reply to getBalance breaks. It lists no hashes. */
export function brokenBalanceRules(currency: string, answer: WalletAnswer): WalletRule[] {
  return brokenBy(undefined, currency, answer);
}

/** The rules that a reply to doGameRoundReport breaks: it has no hashes and balances, and may have an errorCode. */
export function brokenReportRules(answer: WalletAnswer): WalletRule[] {
  const possible: WalletRule[] = ['signature-rejected', 'not-json', 'wrong-status'];
  return brokenBy(undefined, undefined, answer).filter((rule) => possible.includes(rule));
}

function brokenBy(
  call: Pick<WalletCall, 'transactions'> | undefined,
  currency: string | undefined,
  answer: WalletAnswer,
): WalletRule[] {
  if (answer.kind === 'no-response') return [];
  const { status } = answer;
  const body = isObject(answer.body) ? answer.body : undefined;
  const { transactions } = call ?? NOTHING_SENT;
  const sent = new Set<string | undefined>(transactions.map(({ hash }) => normalId(hash)));
  const entries = call === undefined ? [] : asArray(body?.hashesProcessed);
  const ours = entries.filter((item) => sent.has(hashIn(item)));
  const error = [body, ...ours].map((item) => errorIn(item, status)).find((found) => found !== undefined);
  const reply: Reply = {
    ...{ call: { transactions }, currency, status, body, error, sent },
    balances: asArray(body?.balances),
    listed: new Set(entries.map(hashIn)),
  };
  return (Object.keys(RULES) as WalletRule[]).filter((rule) => RULES[rule](reply));
}

/** A 200 without any error. */
function isDone({ status, body, error }: Reply): boolean {
  return status === 200 && body !== undefined && error === undefined;
}

/** A 4xx that needs an errorCode. 401 needs none: its status is clear. */
function needsErrorCode(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401;
}

function isAmount(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

function isOfCall(item: unknown, { currency }: Reply): boolean {
  return isObject(item) && item.currency === currency;
}
