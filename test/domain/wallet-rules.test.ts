import { brokenBalanceRules, brokenReportRules, brokenRules, reportOf } from '../../src/domain/wallet-rules';
import type { WalletAnswer, WalletCall } from '../../src/domain/wallet-call';
import { callOf, END_ERROR, entry, judged, listing, REFUSAL, WRONG_SIGNATURE } from './wallet-reply-support';

/* What a wallet does wrong (docs/interface#wallet-rules): it is named, whatever the answer is taken for. */

const DEBIT = callOf('debit', 'debit');
const DEBIT_AND_END = callOf('debit', 'debit', 'end');
const CREDIT = callOf('credit', 'credit');
const END = callOf('credit', 'end');
const VOID = callOf('void', 'void');
const DONE = listing(entry('debit'));
const HTML = undefined;
const OTHER_FAILED = { hash: 'x', errorCode: REFUSAL };

const withBalances = (...balances: unknown[]): object => ({ ...DONE, balances });
const EUR = { type: 'real', amount: 900, currency: 'EUR' };

const answered = (status: number, body: unknown): WalletAnswer => ({ kind: 'answer', status, body });

const WRONG: [string, WalletCall, number, unknown, string[]][] = [
  ['401', DEBIT, 401, { errorCode: WRONG_SIGNATURE }, ['signature-rejected']],
  ['401 without an errorCode', CREDIT, 401, {}, ['signature-rejected']],
  ['id 1001 with 400', VOID, 400, { errorCode: WRONG_SIGNATURE }, ['signature-rejected']],
  ['HTML with 200', DEBIT, 200, HTML, ['not-json']],
  ['HTML with 400', DEBIT, 400, HTML, ['not-json']],
  ['an array', DEBIT, 200, [DONE], ['not-json']],
  ['201', DEBIT, 201, DONE, ['wrong-status']],
  ['a redirect', DEBIT, 302, {}, ['wrong-status']],
  ['a credit with 500', CREDIT, 500, { errorCode: REFUSAL }, ['credit-5xx']],
  ['an errorCode on a 200', DEBIT, 200, { errorCode: REFUSAL }, ['error-on-200']],
  ['one for a hash', DEBIT, 200, listing(entry('debit', REFUSAL)), ['error-on-200']],
  ['one for the end', DEBIT_AND_END, 200, listing(entry('debit'), entry('end', END_ERROR)), ['error-on-200']],
  ['one that is a text', DEBIT, 200, { ...DONE, errorCode: 'NO' }, ['error-on-200']],
  ['a refusal without errorCode', DEBIT, 400, {}, ['no-error-code']],
  ['a refusal whose errorCode is a text', CREDIT, 400, { errorCode: 'NO' }, ['no-error-code']],
  ['{}', DEBIT, 200, {}, ['no-balances', 'hash-not-listed']],
  ['no balances', DEBIT, 200, { hashesProcessed: [entry('debit')] }, ['no-balances']],
  ['empty balances', DEBIT, 200, withBalances(), ['no-balances']],
  ['an amount that is a text', DEBIT, 200, withBalances({ ...EUR, amount: '900' }), ['balance-amount']],
  ['an amount that is a fraction', DEBIT, 200, withBalances({ ...EUR, amount: 9.5 }), ['balance-amount']],
  ['a balance that is null', DEBIT, 200, withBalances(EUR, null), ['balance-amount']],
  ['another currency', DEBIT, 200, withBalances({ ...EUR, currency: 'USD' }), ['balance-currency']],
  ['no hashes', DEBIT, 200, { balances: [EUR] }, ['hash-not-listed']],
  ['only one of two hashes', DEBIT_AND_END, 200, listing(entry('debit')), ['hash-not-listed']],
  ['other hashes', DEBIT, 200, listing({ hash: 'x' }), ['hash-not-listed', 'unknown-hash']],
  ['a hash too many', DEBIT, 200, listing(entry('debit'), {}), ['unknown-hash']],
  ['a failed hash too many', DEBIT, 200, listing(entry('debit'), OTHER_FAILED), ['unknown-hash']],
];

test.each(WRONG)('%s', (_what, call, status, body, rules) => {
  expect(brokenRules(call, answered(status, body))).toEqual(rules);
});

const UUID = '0f0f0f0f-0000-8000-8000-00000000000f';
const sent = (hash: string): WalletCall => ({
  ...DEBIT,
  transactions: [{ ...DEBIT.transactions[0], hash }],
});
const BOTH = withBalances(EUR, { ...EUR, currency: 'USD' });

const RIGHT: [string, WalletCall, WalletAnswer][] = [
  ['a 200 with balances and every hash', DEBIT, answered(200, DONE)],
  ['a hash listed in upper case', sent(UUID), answered(200, listing({ hash: UUID.toUpperCase() }))],
  ['a hash sent in upper case', sent(UUID.toUpperCase()), answered(200, listing({ hash: UUID }))],
  ['a second balance in another currency', DEBIT, answered(200, BOTH)],
  ['errorCode null', DEBIT, answered(200, { ...DONE, errorCode: null })],
  ['a refusal with its errorCode', DEBIT, answered(400, { errorCode: REFUSAL })],
  ['a refusal of one hash', CREDIT, answered(400, listing(entry('credit', REFUSAL)))],
  ['a debit with 500', DEBIT, answered(500, {})],
  ['an end with 500', END, answered(500, { errorCode: REFUSAL })],
  ['a void with 400 and no errorCode', VOID, answered(400, {})],
  ['silence', CREDIT, { kind: 'no-response', reason: 'time-out' }],
];

test.each(RIGHT)('%s breaks no rule', (_what, call, answer) => {
  expect(brokenRules(call, answer)).toEqual([]);
});

test.each<[string, number, unknown, string[]]>([
  ['401', 401, { errorCode: WRONG_SIGNATURE }, ['signature-rejected']],
  ['HTML', 200, HTML, ['not-json']],
  ['204', 204, {}, ['wrong-status']],
  ['an errorCode on a 200', 200, { errorCode: REFUSAL, balances: [EUR] }, ['error-on-200']],
  ['a refusal without errorCode', 404, {}, ['no-error-code']],
  ['{}', 200, {}, ['no-balances']],
  ['an amount that is a text', 200, { balances: [{ ...EUR, amount: '900' }] }, ['balance-amount']],
  ['another currency', 200, { balances: [{ ...EUR, currency: 'USD' }] }, ['balance-currency']],
  ['a balance in the currency', 200, { balances: [EUR], tickets: [] }, []],
  ['a refusal with its errorCode', 404, { errorCode: REFUSAL }, []],
  ['a failure with its errorCode', 500, { errorCode: REFUSAL }, []],
])('getBalance: %s', (_what, status, body, rules) => {
  expect(brokenBalanceRules('EUR', answered(status, body))).toEqual(rules);
});

// docs/interface#do-game-round-report, #report-error-header: the reply is an empty object, or has an errorCode.
test.each<[string, number, unknown, string[]]>([
  ['401', 401, { errorCode: WRONG_SIGNATURE }, ['signature-rejected']],
  ['HTML', 200, HTML, ['not-json']],
  ['204', 204, {}, ['wrong-status']],
  ['an empty object', 200, {}, []],
  ['an errorCode and entries', 200, { errorCode: REFUSAL, entry: 1 }, []],
])('doGameRoundReport: %s', (_what, status, body, rules) => {
  expect(brokenReportRules(answered(status, body))).toEqual(rules);
});

const END_REJECTED = listing(entry('debit'), entry('end', END_ERROR));

test.each<[string, WalletCall, number, unknown]>([
  ['status 200', DEBIT, 200, DONE],
  ['status 400, 77 LIMITREACHED', DEBIT, 400, { errorCode: REFUSAL }],
  ['status 200, end rejected: 78 ENDREFUSED', DEBIT_AND_END, 200, END_REJECTED],
  ['200 with error 77 LIMITREACHED', CREDIT, 200, { errorCode: REFUSAL }],
])('why an answer was taken for what it was: %s', (why, call, status, body) => {
  expect(reportOf(call, answered(status, body), judged(call, status, body)).why).toBe(why);
});

// docs/interface#wallet-deliveries
test('a report has type, hash and amount of each transaction', () => {
  const report = reportOf(DEBIT_AND_END, answered(200, DONE), { kind: 'accepted' });
  expect(report.transactions).toEqual([
    { type: 'debit', hash: 'hash-of-debit', amount: 100 },
    { type: 'end', hash: 'hash-of-end', amount: undefined },
  ]);
});

test('why a call was not sent', () => {
  const silence: WalletAnswer = { kind: 'no-response', reason: 'the wallet is failing', unsent: true };
  expect(reportOf(DEBIT, silence, { kind: 'declined' }).why).toBe('the wallet is failing');
});

test('a round of any length is one line of bounded length', () => {
  const [debit] = DEBIT.transactions;
  const transactions = Array.from({ length: 500 }, () => debit);
  const long: WalletCall = { purpose: 'credit', transactions };
  expect(reportOf(long, answered(200, DONE), { kind: 'accepted' }).transactions).toHaveLength(100);
});
