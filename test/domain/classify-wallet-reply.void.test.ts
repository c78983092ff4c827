import { readReconcileAnswer } from '../../src/domain/round/reconcile';
import { readBalance, totalBalance } from '../../src/domain/classify-wallet-reply';
import {
  bodiesFor,
  callOf,
  casesOf,
  entry,
  judged,
  judgedSilence,
  listing,
  REFUSAL,
  WRONG_COUNT,
  WRONG_SIGNATURE,
} from './wallet-reply-support';

const VOID = callOf('void', 'void');
const BODIES = bodiesFor('void');
const COLUMNS = 'ok empty listed otherFailed text array null topError ownError listedTopError';

/** docs/interface#void-ends, #void-unconfirmed and #void-refused; what each letter stands for is in `expectationOf`. */
const GRID = casesOf(COLUMNS, {
  // Ended by a 200; a top-level errorCode counts only for what is not listed.
  '200': 'A A A A R R R R R A',
  // … or by a 400 that is a JSON object with neither id 16 nor id 1001.
  '400': 'V V V V R R R V V V',
  // "401 ... stops it".
  '401': 'S S S S S S S S S S',
  // Anything else is retried.
  '201 302 403 404 408 409 410 422 425 429 500 502 504': 'R R R R R R R R R R',
});

function expectationOf(cell: string): object {
  switch (cell) {
    case 'A':
      return { kind: 'accepted', unconfirmed: false };
    case 'V':
      return { kind: 'accepted', unconfirmed: true };
    case 'R':
      return { kind: 'retryable' };
    case 'S':
      return { kind: 'rejected', unauthorised: true };
    default:
      throw new Error(cell);
  }
}

describe('[void], first delivery', () => {
  it.each(GRID)('status %p, body %s: %s', (status, body, cell) => {
    expect(judged(VOID, status, BODIES[body])).toMatchObject(expectationOf(cell));
  });

  it('silence: retried', () => {
    expect(judgedSilence(VOID)).toMatchObject({ kind: 'retryable' });
  });

  it.each([
    ['top-level', { errorCode: WRONG_COUNT }],
    ['own', listing(entry('void', WRONG_COUNT))],
  ])('400 with id 16 (%s) is about the call, not about the void: retried', (_, body) => {
    expect(judged(VOID, 400, body)).toMatchObject({ kind: 'retryable' });
  });

  it.each([
    [400, { errorCode: WRONG_SIGNATURE }],
    [400, listing(entry('void', WRONG_SIGNATURE))],
    [404, { errorCode: WRONG_SIGNATURE }],
  ])('status %p, %j: id 1001 stops it', (status, body) => {
    expect(judged(VOID, status, body)).toMatchObject({ kind: 'rejected', unauthorised: true });
  });
});

describe('[void] that was delivered before', () => {
  it.each([{}, { errorCode: REFUSAL }, listing(entry('void', REFUSAL))])(
    '400 with %j says that it is voided already: accepted, nothing unconfirmed',
    (body) => {
      const expected = { kind: 'accepted', unconfirmed: false };
      expect(judged(VOID, 400, body, { redelivered: true })).toMatchObject(expected);
    },
  );

  it.each([
    [400, 'Bad request'],
    [400, { errorCode: WRONG_COUNT }],
    [404, {}],
    [500, {}],
    [200, 'ok'],
  ])('status %p, %j: retried all the same', (status, body) => {
    expect(judged(VOID, status, body, { redelivered: true })).toMatchObject({ kind: 'retryable' });
  });
});

describe('balances of a reply', () => {
  const real = { type: 'real', amount: 900, currency: 'EUR' };

  it.each([
    ['an accepted debit', callOf('debit', 'debit')],
    ['an accepted credit', callOf('credit', 'credit', 'end')],
    ['an accepted void', VOID],
  ])('are told with %s', (_, call) => {
    expect(judged(call, 200, { balances: [real] })).toMatchObject({ balance: { balances: [real] } });
  });

  it('are summed up in totalBalance', () => {
    const balances = [real, { type: 'bonus', amount: 250, currency: 'EUR' }];
    expect(totalBalance({ balances })).toBe(1150);
  });

  const others = [{ ...real, currency: 'USD' }, { ...real, currency: 'eur' }, { amount: 900 }];

  it.each([
    ['an accepted debit', callOf('debit', 'debit')],
    ['an accepted credit', callOf('credit', 'credit', 'end')],
    ['an accepted void', VOID],
  ])('in another currency are left out with %s, and change no outcome', (_, call) => {
    expect(judged(call, 200, { balances: others })).toMatchObject({ kind: 'accepted', balance: undefined });
    expect(judged(call, 200, { balances: [...others, real] })).toMatchObject({
      ...{ kind: 'accepted', balance: { balances: [real] } },
    });
  });

  it('in another currency are left out with a reconciliation', () => {
    const sent = callOf('credit', 'credit', 'end').transactions;
    const answer = { kind: 'answer' as const, status: 200, body: { balances: others } };
    expect(readReconcileAnswer(sent, answer)).toMatchObject({ kind: 'accepted', balance: undefined });
  });

  it.each([undefined, null, 'x', [], {}, { balances: [] }, { balances: 'x' }, { balances: [null, 3] }])(
    '%j has none',
    (body) => {
      expect(readBalance(body, 'EUR')).toBeUndefined();
    },
  );

  it('leaves out what has no number', () => {
    const broken = [
      { type: 'real' },
      { amount: '5' },
      { amount: Number.NaN },
      { amount: Infinity },
      [],
      null,
    ];
    expect(readBalance({ balances: [...broken, real] }, 'EUR')).toEqual({ balances: [real] });
  });

  it('passes discountInfo, useBonusFirst and tickets through, under either name of tickets', () => {
    const ticket = { count: 1, stake: 20, currency: 'EUR', serial: 'T-1' };
    const discountInfo = { campaignId: 'c', discounts: [] };
    const body = { balances: [real], useBonusFirst: true, discountInfo };
    expect(readBalance({ ...body, tickets: [ticket] }, 'EUR')).toEqual({ ...body, tickets: [ticket] });
    expect(readBalance({ ...body, freePlays: [ticket] }, 'EUR')).toEqual({ ...body, tickets: [ticket] });
  });

  it('keeps no endless type of a balance: it goes through the history with every answer', () => {
    const read = readBalance({ balances: [{ ...real, type: 'x'.repeat(5_000), amount: 1 }] }, 'EUR');
    expect(JSON.stringify(read).length).toBeLessThan(300);
    expect(read?.balances[0]?.type).toMatch(/^x+$/);
    expect(read?.balances[0]?.amount).toBe(1);
  });

  it('keeps the first tickets that fit, where there are more than it keeps', () => {
    const tickets = Array.from({ length: 150 }, (_, index) => ({
      serial: `T-${index}`,
      text: 'x'.repeat(250),
    }));
    const kept = readBalance({ balances: [real], tickets }, 'EUR')?.tickets ?? [];
    expect(kept.length).toBeGreaterThan(100);
    expect(kept).toEqual(tickets.slice(0, kept.length));
  });

  it('takes no balance whose amount no amount can be', () => {
    const huge = { ...real, amount: 1e308 };
    expect(readBalance({ balances: [huge, huge, real] }, 'EUR')).toEqual({ balances: [real] });
  });

  it('keeps a bounded number of balances and tickets of an endless reply', () => {
    const body = { balances: Array(5_000).fill(real), tickets: Array(5_000).fill({ serial: 'T' }) };
    const read = readBalance(body, 'EUR');
    expect(read?.balances.length).toBeLessThanOrEqual(100);
    expect(read?.tickets?.length).toBeLessThanOrEqual(1_000);
  });

  it('keeps a bounded part of an endless error text', () => {
    const errorCode = { id: 77, msg: 'x'.repeat(100_000), clientmsg: 'y'.repeat(100_000) };
    const outcome = judged(callOf('debit', 'debit'), 400, { errorCode });
    expect(JSON.stringify(outcome).length).toBeLessThan(5_000);
  });
});
