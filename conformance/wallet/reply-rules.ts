import { asArray, type Exchange, isObject, type Json } from '../exchange';
import type { ReplyRule } from '../rule';
import { errorIn, listedIn } from '../expect';
import { ANY_REPLY_RULES } from '../reply-rules';
import type { Transaction } from './transaction';

const isCall = ({ url }: Exchange, name: string): boolean => new URL(url).pathname.endsWith(`/${name}`);
const isMoney = (exchange: Exchange): boolean =>
  isCall(exchange, 'doTransactions') || isCall(exchange, 'getBalance');

/** A 200 without an error. */
export function isDone({ reply }: Exchange): boolean {
  return reply?.status === 200 && reply.json !== undefined && errorIn(reply.json) === undefined;
}

function transactionsOf({ body }: Exchange): Transaction[] {
  return asArray(body?.['transactions']) as Transaction[];
}

const has = (exchange: Exchange, type: Transaction['type']): boolean =>
  transactionsOf(exchange).some((one) => one.type === type);

function balancesIn({ reply }: Exchange): Json[] {
  return asArray(reply?.json?.['balances']).filter(isObject);
}

/** The names are those of the service's log (docs/operations.md, "What a wallet does wrong"). */
export const REPLY_RULES: readonly ReplyRule[] = [
  ...ANY_REPLY_RULES,
  {
    name: 'error-on-200',
    anchor: 'operator-api.md#no-credit-after-failed-debit',
    text: 'If one operation fails, the status is not 200.',
    fault: (exchange) => {
      const { reply } = exchange;
      const failed = isMoney(exchange) && [reply?.json, ...listedIn(exchange)].some(errorIn);
      return failed && reply?.status === 200 ? 'a 200 has an errorCode' : undefined;
    },
  },
  {
    name: 'no-error-code',
    anchor: 'errors-and-limits.md#error-object',
    text: 'A 4xx has an errorCode with id (an integer), msg and clientmsg (texts).',
    fault: (exchange) => {
      const { reply } = exchange;
      const isRefusal = reply !== undefined && reply.status >= 400 && reply.status < 500;
      if (!isRefusal || !isMoney(exchange) || has(exchange, 'void')) return undefined;
      const errors = [reply.json, ...listedIn(exchange)].map(errorIn).filter((error) => error !== undefined);
      if (errors.length === 0) return `a ${reply.status} has no errorCode`;
      return errors.every(isErrorObject) ? undefined : 'an errorCode lacks id, msg or clientmsg';
    },
  },
  {
    name: 'credit-5xx',
    anchor: 'operator-api.md#retry-rule',
    text: 'A call with a credit never fails with a 5xx.',
    fault: (exchange) => {
      const status = exchange.reply?.status ?? 0;
      return has(exchange, 'credit') && status >= 500 ? `a credit got ${status}` : undefined;
    },
  },
  {
    name: 'no-balances',
    anchor: 'objects.md#operator-balance',
    text: 'A 200 to doTransactions or getBalance has balances.',
    fault: (exchange) =>
      isMoney(exchange) && isDone(exchange) && balancesIn(exchange).length === 0
        ? 'a 200 has no balances'
        : undefined,
  },
  {
    name: 'balance-amount',
    anchor: 'README.md#amounts',
    text: 'The amount of a balance is an integer in minor units.',
    fault: (exchange) => {
      const wrong = balancesIn(exchange).find(({ amount }) => !Number.isSafeInteger(amount));
      return wrong && `an amount is ${JSON.stringify(wrong['amount'])}`;
    },
  },
  {
    name: 'balance-currency',
    anchor: 'operator-api.md#get-balance',
    text: 'The balances are in the currency of the call.',
    fault: (exchange) => {
      const currency =
        transactionsOf(exchange)[0]?.currency ?? new URL(exchange.url).searchParams.get('currency');
      const balances = balancesIn(exchange);
      const isOther = isDone(exchange) && balances.length > 0;
      return isOther && !balances.some((one) => one['currency'] === currency)
        ? `no balance is in ${currency}`
        : undefined;
    },
  },
  {
    name: 'hash-not-listed',
    anchor: 'operator-api.md#do-transactions',
    text: 'hashesProcessed of a 200 lists each hash of the call.',
    fault: (exchange) => {
      const listed = new Set(listedIn(exchange).map(({ hash }) => String(hash).toLowerCase()));
      const missing = transactionsOf(exchange).find(({ hash }) => !listed.has(hash.toLowerCase()));
      return isDone(exchange) && missing ? `hashesProcessed lacks ${missing.hash}` : undefined;
    },
  },
  {
    name: 'unknown-hash',
    anchor: 'operator-api.md#do-transactions',
    text: 'hashesProcessed lists no other hash.',
    fault: (exchange) => {
      const sent = new Set(transactionsOf(exchange).map(({ hash }) => hash.toLowerCase()));
      const other = listedIn(exchange).find(({ hash }) => !sent.has(String(hash).toLowerCase()));
      return other && `hashesProcessed has ${JSON.stringify(other['hash'])}, which was not sent`;
    },
  },
];

/** The first rule that this reply breaks. */
export function ruleOfReply(exchange: Exchange): string | undefined {
  return REPLY_RULES.find(({ fault }) => fault(exchange) !== undefined)?.name;
}

function isErrorObject({ id, msg, clientmsg }: Json): boolean {
  return Number.isInteger(id) && typeof msg === 'string' && typeof clientmsg === 'string';
}
