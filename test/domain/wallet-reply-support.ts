import { classifyWalletReply, type DeliveryHistory } from '../../src/domain/classify-wallet-reply';
import type {
  OperatorTransaction,
  TransactionType,
  WalletAnswer,
  WalletCall,
  WalletOutcome,
} from '../../src/domain/wallet-call';
import { AT, deepFreeze } from './support';

export const REFUSAL = { id: 77, msg: 'LIMITREACHED', clientmsg: 'Your limit is reached.' };
export const END_ERROR = { id: 78, msg: 'ENDREFUSED', clientmsg: 'No.' };
export const WRONG_SIGNATURE = { id: 1001, msg: 'SIGNATUREWRONG', clientmsg: '' };
export const WRONG_COUNT = { id: 16, msg: 'TRANSACTIONCOUNTMISMATCH', clientmsg: '' };

const BALANCES = [{ type: 'real', amount: 900, currency: 'EUR' }];

export function hashOf(type: TransactionType): string {
  return `hash-of-${type}`;
}

export function callOf(purpose: WalletCall['purpose'], ...types: TransactionType[]): WalletCall {
  const transactions = types.map((type): OperatorTransaction => {
    const amount = type === 'debit' || type === 'credit' ? { amount: 100 } : {};
    return { type, hash: hashOf(type), currency: 'EUR', timestamp: AT, ...amount };
  });
  return deepFreeze({ purpose, transactions } as WalletCall);
}

export const FIRST_DELIVERY: DeliveryHistory = {
  redelivered: false,
  maybePaid: false,
  creditAccepted: false,
  repeatableErrorIds: [],
  strictReplies: false,
};

export function judged(
  call: WalletCall,
  status: number,
  body: unknown,
  facts: Partial<DeliveryHistory> = {},
): WalletOutcome {
  const answer: WalletAnswer = { kind: 'answer', status, body };
  return spelledOut(
    classifyWalletReply(call, deepFreeze(answer), deepFreeze({ ...FIRST_DELIVERY, ...facts })),
  );
}

/** With its optional fields there, if only as undefined: so a test can expect that one is absent. */
function spelledOut(outcome: WalletOutcome): WalletOutcome {
  if (outcome.kind === 'accepted') {
    return { ...outcome, endRejected: outcome.endRejected, unconfirmed: outcome.unconfirmed ?? false };
  }
  return outcome.kind === 'declined' ? { ...outcome, errorCode: outcome.errorCode } : outcome;
}

export function judgedSilence(call: WalletCall, facts: Partial<DeliveryHistory> = {}): WalletOutcome {
  return classifyWalletReply(
    call,
    { kind: 'no-response', reason: 'time-out' },
    { ...FIRST_DELIVERY, ...facts },
  );
}

/** hashesProcessed entry of a transaction: processed, or failed with `errorCode`. */
export function entry(type: TransactionType, errorCode?: unknown): Record<string, unknown> {
  return { hash: hashOf(type), ...(errorCode === undefined ? {} : { errorCode }) };
}

export function listing(...hashesProcessed: unknown[]): Record<string, unknown> {
  return { balances: BALANCES, hashesProcessed };
}

/** Bodies of a reply to a call with one transaction of this type. */
export function bodiesFor(type: TransactionType): Record<string, unknown> {
  return {
    ok: { balances: BALANCES },
    empty: {},
    listed: listing(entry(type)),
    otherFailed: listing({ hash: 'hash-of-nothing-of-ours', errorCode: REFUSAL }),
    text: 'Service ready',
    array: [{ balances: BALANCES }],
    null: null,
    topError: { errorCode: REFUSAL },
    ownError: listing(entry(type, REFUSAL)),
    listedTopError: { ...listing(entry(type)), errorCode: REFUSAL },
  };
}

export type BodyName =
  | 'ok'
  | 'empty'
  | 'listed'
  | 'otherFailed'
  | 'text'
  | 'array'
  | 'null'
  | 'topError'
  | 'ownError'
  | 'listedTopError';

/**
 * A grid of expectations as cases of one table: rows are statuses, columns bodies, cells separated by spaces.
 * `statuses` may name several of one row, as `400 404 422`.
 */
export function casesOf(columns: string, rows: Record<string, string>): [number, BodyName, string][] {
  const names = columns.trim().split(/\s+/) as BodyName[];
  return Object.entries(rows).flatMap(([statuses, row]) => {
    const cells = row.trim().split(/\s+/);
    if (cells.length !== names.length) throw new Error(`row ${statuses} has ${cells.length} cells`);
    return statuses
      .split(' ')
      .flatMap((status) =>
        names.map((name, column): [number, BodyName, string] => [Number(status), name, cells[column]!]),
      );
  });
}
