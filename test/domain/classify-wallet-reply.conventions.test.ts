import { errorIn } from '../../src/domain/errors';
import { readReconcileAnswer } from '../../src/domain/round/reconcile';
import type { OperatorTransaction, TransactionType, WalletCall } from '../../src/domain/wallet-call';
import { callOf, entry, judged, listing, REFUSAL } from './wallet-reply-support';
import { AT } from './support';

/* What other people's wallets write: an empty error object, hashes in capitals, generic replies of a gateway. */

const DEBIT = callOf('debit', 'debit');
const CREDIT_AND_END = callOf('credit', 'credit', 'end');
const VOID = callOf('void', 'void');
const NONE = [
  undefined,
  null,
  {},
  { id: 0 },
  { id: 0, msg: '', clientmsg: '' },
  { id: 0, msg: null, clientmsg: null },
];

describe('an errorCode without id and msg, as typed languages write it, is no error', () => {
  it.each(NONE)('%j', (errorCode) => {
    for (const status of [200, 400]) expect(errorIn({ errorCode }, status)).toBeUndefined();
    expect(judged(DEBIT, 200, { ...listing(entry('debit')), errorCode })).toMatchObject({ kind: 'accepted' });
    expect(judged(DEBIT, 200, listing(entry('debit', errorCode)))).toMatchObject({ kind: 'accepted' });
    expect(judged(CREDIT_AND_END, 200, { errorCode })).toMatchObject({
      kind: 'accepted',
      endRejected: undefined,
    });
    // Repeatable: a 4xx without an errorCode object.
    expect(judged(CREDIT_AND_END, 400, { errorCode })).toMatchObject({ kind: 'retryable' });
    expect(judged(VOID, 200, { errorCode })).toMatchObject({ kind: 'accepted' });
    const sent = CREDIT_AND_END.transactions;
    const hashesProcessed = sent.map(({ hash }) => ({ hash, errorCode }));
    const answer = { kind: 'answer' as const, status: 200, body: { errorCode, hashesProcessed } };
    expect(readReconcileAnswer(sent, answer).kind).toBe('accepted');
  });

  it.each([
    { id: 7 },
    { id: 0, msg: 'LIMIT' },
    { msg: 'LIMIT' },
    { id: '4711', msg: '' },
    { id: 'none', msg: '' },
    { id: -1 },
    { id: 0, msg: 5 },
  ])('%j is one', (errorCode) => {
    for (const status of [200, 400]) expect(errorIn({ errorCode }, status)).toBeDefined();
    expect(judged(DEBIT, 200, { errorCode })).toMatchObject({ kind: 'unknown' });
  });

  it.each(['LIMIT', 4711, [], false])('%j: one on a 200, none elsewhere', (errorCode) => {
    expect(errorIn({ errorCode }, 200)).toBeDefined();
    expect(errorIn({ errorCode }, 400)).toBeUndefined();
  });
});

describe('an id that is a text of digits is that number', () => {
  it.each<[string, number]>([
    ['12', 12],
    ['1001', 1001],
    ['0', 0],
  ])('%s', (text, id) => {
    expect(errorIn({ errorCode: { id: text, msg: 'M' } }, 400)).toMatchObject({ id });
  });

  it('so that a signature that is not accepted makes a win wait, and 12 to the first bet takes it back', () => {
    expect(judged(CREDIT_AND_END, 400, { errorCode: { id: '1001', msg: 'SIGNATUREWRONG' } })).toMatchObject({
      kind: 'rejected',
      unauthorised: true,
    });
    const [debit] = DEBIT.transactions;
    const first: WalletCall = { ...DEBIT, transactions: [{ ...debit, isFirstDebit: true }] };
    expect(judged(first, 400, { errorCode: { id: '12', msg: 'M' } })).toMatchObject({ processed: true });
  });

  it.each(['', 'LIMIT', '1e3', '-', '99999999999999999999'])('%j is none', (id) => {
    expect(errorIn({ errorCode: { id, msg: 'M' } }, 400)).toMatchObject({ id: 0 });
  });
});

describe('a hash that a 4xx lists both with an error and without one may have gone through', () => {
  const twice = (hash: string) => [{ hash, errorCode: { id: 5, msg: 'M' } }, { hash }];

  it('a bet is taken back', () => {
    const { hash } = DEBIT.transactions[0];
    for (const hashesProcessed of [twice(hash), twice(hash).reverse()]) {
      expect(judged(DEBIT, 400, { hashesProcessed })).toMatchObject({ kind: 'declined', processed: true });
    }
  });

  it('a win is never followed by a void: the round is for a person', () => {
    const { hash } = CREDIT_AND_END.transactions[0];
    for (const hashesProcessed of [twice(hash), twice(hash).reverse()]) {
      const outcome = judged(CREDIT_AND_END, 400, { hashesProcessed });
      expect(outcome).toMatchObject({ kind: 'accepted', endRejected: { id: 5 } });
    }
  });
});

describe('hashes in UUID form compare without regard to case', () => {
  const lower = '1276f4d6-25fd-8d78-9644-fedd8d9abb93';
  const upper = lower.toUpperCase();
  const call = (type: TransactionType, hash: string): WalletCall => ({
    purpose: type === 'end' ? 'credit' : type,
    transactions: [{ type, hash, currency: 'EUR', timestamp: AT, amount: 100 }],
  });

  it.each([
    [lower, upper],
    [upper, lower],
  ])('sent as %s, answered as %s', (sent, listed) => {
    const processed = { hashesProcessed: [{ hash: listed }] };
    const failed = { hashesProcessed: [{ hash: listed, errorCode: REFUSAL }] };
    // A refused bet that was processed all the same is voided; a refused one on a 200 is not taken as accepted.
    expect(judged(call('debit', sent), 400, { ...processed, errorCode: REFUSAL })).toMatchObject({
      kind: 'declined',
      processed: true,
    });
    expect(judged(call('debit', sent), 200, failed)).toMatchObject({ kind: 'unknown' });
    expect(judged(call('credit', sent), 400, { ...processed, errorCode: REFUSAL })).toMatchObject({
      kind: 'accepted',
      endRejected: REFUSAL,
    });
    expect(judged(call('void', sent), 200, failed)).toMatchObject({ kind: 'retryable' });
    const { transactions } = call('credit', sent);
    expect(readReconcileAnswer(transactions, { kind: 'answer', status: 400, body: failed })).toMatchObject({
      kind: 'rejected',
      hashesProcessed: [{ hash: sent, errorCode: REFUSAL }],
    });
  });

  it('other ids are what they are', () => {
    const body = { hashesProcessed: [{ hash: 'HASH-OF-DEBIT', errorCode: REFUSAL }] };
    expect(judged(DEBIT, 200, body)).toMatchObject({ kind: 'accepted' });
  });
});

describe('id 12 to a first debit, which may have arrived twice', () => {
  const alreadyStarted = { id: 12, msg: 'GAMEROUNDALREADYSTARTED', clientmsg: 'A game is in progress.' };
  const debit = (isFirstDebit: boolean): WalletCall => ({
    purpose: 'debit',
    transactions: [{ ...DEBIT.transactions[0], isFirstDebit }],
  });

  it.each([
    ['on top', { errorCode: alreadyStarted }],
    ['for its hash', listing(entry('debit', alreadyStarted))],
  ])('%s: declined with it, and it may have been taken', (_, body) => {
    expect(judged(debit(true), 400, body)).toMatchObject({
      kind: 'declined',
      errorCode: alreadyStarted,
      processed: true,
    });
  });

  it('to a follow-up debit it is a refusal like any other', () => {
    expect(judged(debit(false), 400, { errorCode: alreadyStarted })).toMatchObject({
      kind: 'declined',
      processed: false,
    });
  });
});

describe('an operator with strictReplies', () => {
  const strictReplies = true;
  const list = (...types: TransactionType[]): Record<string, unknown> =>
    listing(...types.map((type) => entry(type)));
  const otherCurrency = { balances: [{ type: 'real', amount: 900, currency: 'USD' }] };

  it.each([
    ['without the hash', { ...list(), hashesProcessed: [] }],
    ['with another hash', list('end')],
    ['without any list', { balances: [{ type: 'real', amount: 900, currency: 'EUR' }] }],
    ['without a balance', { hashesProcessed: [entry('debit')] }],
    ['without a balance of the currency', { ...list('debit'), ...otherCurrency }],
    ['of a gateway', { status: 'ok' }],
  ])('a 200 %s is unknown', (_, body) => {
    expect(judged(DEBIT, 200, body, { strictReplies })).toMatchObject({ kind: 'unknown' });
    expect(judged(DEBIT, 200, body)).toMatchObject({ kind: 'accepted' });
  });

  it('with the hash and a balance of the currency: accepted', () => {
    expect(judged(DEBIT, 200, list('debit'), { strictReplies })).toMatchObject({ kind: 'accepted' });
    const both = judged(callOf('debit', 'debit', 'end'), 200, list('debit', 'end'), { strictReplies });
    expect(both).toMatchObject({ kind: 'accepted', endRejected: undefined });
  });

  it('an end that is not listed beside its debit is not taken as accepted (crashed)', () => {
    const outcome = judged(callOf('debit', 'debit', 'end'), 200, list('debit'), { strictReplies });
    expect(outcome).toMatchObject({ kind: 'accepted', endRejected: { msg: 'WALLETUNAVAILABLE' } });
  });

  it('a credit or end that is not listed is sent again, and the credit may have been paid', () => {
    const expected = { kind: 'retryable', maybePaid: true };
    expect(judged(CREDIT_AND_END, 200, list('credit'), { strictReplies })).toMatchObject(expected);
    expect(judged(CREDIT_AND_END, 200, { status: 'ok' }, { strictReplies })).toMatchObject(expected);
    const all = list('credit', 'end');
    expect(judged(CREDIT_AND_END, 200, all, { strictReplies })).toMatchObject({ kind: 'accepted' });
  });

  it('a void ends by any 200', () => {
    expect(judged(VOID, 200, {}, { strictReplies })).toMatchObject({ kind: 'accepted' });
  });

  it('a reconciliation whose answer lacks a hash is not answered', () => {
    const sent: OperatorTransaction[] = CREDIT_AND_END.transactions;
    const read = (body: object): string =>
      readReconcileAnswer(sent, { kind: 'answer', status: 200, body }, true).kind;
    expect(read({ status: 'ok' })).toBe('unreachable');
    expect(read(list('credit'))).toBe('unreachable');
    expect(read(list('credit', 'end'))).toBe('accepted');
  });
});
