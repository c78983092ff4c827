import {
  bodiesFor,
  callOf,
  casesOf,
  END_ERROR,
  entry,
  judged,
  judgedSilence,
  listing,
  REFUSAL,
  WRONG_SIGNATURE,
} from './wallet-reply-support';

const CREDIT = callOf('credit', 'credit');
const CREDIT_AND_END = callOf('credit', 'credit', 'end');
const END = callOf('credit', 'end');
const COLUMNS = 'ok empty listed otherFailed text array null topError ownError';

/** docs/interface#credit-retried, #credit-unauthorised, #credit-refused and #end-refused; what each letter stands for is in `expectationOf`. */
const GRID = casesOf(COLUMNS, {
  '200': 'A A A A Q Q Q Q Q',
  // Unknown outcomes: repeated, and it may have been paid (docs/interface#credit-maybe-paid).
  '201 302 408 500 502 504': 'Q Q Q Q Q Q Q Q Q',
  // A 4xx without an errorCode object is repeated; with one it is a refusal.
  '400 404 409 422': 'R R C R R R R X X',
  // "425, 429": repeated whatever they say.
  '425 429': 'R R C R R R R R R',
  // "401 or id 1001: not retried".
  '401': 'S S S S S S S S S',
});

function expectationOf(cell: string): object {
  switch (cell) {
    case 'A':
      return { kind: 'accepted', endRejected: undefined };
    case 'Q':
      return { kind: 'retryable', maybePaid: true };
    case 'R':
      return { kind: 'retryable', maybePaid: false, creditAccepted: false };
    case 'C':
      return { kind: 'retryable', creditAccepted: true };
    case 'X':
      return { kind: 'rejected', unauthorised: false, maybePaid: false, errorCode: REFUSAL };
    case 'S':
      return { kind: 'rejected', unauthorised: true };
    default:
      throw new Error(cell);
  }
}

describe('[credit], first delivery', () => {
  it.each(GRID)('status %p, body %s: %s', (status, body, cell) => {
    expect(judged(CREDIT, status, bodiesFor('credit')[body])).toMatchObject(expectationOf(cell));
  });

  it('200 with a top-level errorCode but listed as processed: accepted (it counts for what is not listed)', () => {
    const body = { ...listing(entry('credit')), errorCode: REFUSAL };
    expect(judged(CREDIT, 200, body)).toMatchObject({ kind: 'accepted', endRejected: undefined });
  });

  it('silence: repeated, and it may have been paid', () => {
    expect(judgedSilence(CREDIT)).toMatchObject({
      kind: 'retryable',
      maybePaid: true,
      creditAccepted: false,
    });
  });

  it.each([400, 404, 422])('status %p with id 1001: not retried', (status) => {
    const expected = { kind: 'rejected', unauthorised: true };
    expect(judged(CREDIT, status, { errorCode: WRONG_SIGNATURE })).toMatchObject(expected);
    expect(judged(CREDIT, status, listing(entry('credit', WRONG_SIGNATURE)))).toMatchObject(expected);
  });

  it('an id in repeatableErrorIds is retried, another one is not', () => {
    const facts = { repeatableErrorIds: [5, REFUSAL.id] };
    expect(judged(CREDIT, 400, { errorCode: REFUSAL }, facts)).toMatchObject({ kind: 'retryable' });
    expect(judged(CREDIT, 400, listing(entry('credit', REFUSAL)), facts)).toMatchObject({
      kind: 'retryable',
    });
    expect(judged(CREDIT, 400, { errorCode: END_ERROR }, facts)).toMatchObject({ kind: 'rejected' });
  });

  it('a 401 is not retried, not even with a repeatable id', () => {
    const outcome = judged(CREDIT, 401, { errorCode: REFUSAL }, { repeatableErrorIds: [REFUSAL.id] });
    expect(outcome).toMatchObject({ kind: 'rejected', unauthorised: true });
  });

  it.each([{ errorCode: null }, { errorCode: 'LIMIT' }, { errorCode: [] }])(
    '4xx with %j: no errorCode object, so repeated',
    (body) => {
      expect(judged(CREDIT, 400, body)).toMatchObject({ kind: 'retryable' });
    },
  );
});

describe('what earlier deliveries said of a credit is not forgotten', () => {
  it.each([
    [400, { errorCode: REFUSAL }],
    [404, 'not found'],
    [429, {}],
    [500, {}],
    [401, {}],
  ])('status %p: it may have been paid before', (status, body) => {
    expect(judged(CREDIT, status, body, { maybePaid: true })).toMatchObject({ maybePaid: true });
  });

  it.each([
    [400, { errorCode: REFUSAL }],
    [404, 'not found'],
    [429, {}],
    [401, {}],
  ])('status %p to a possible re-delivery: nobody recorded the first answer', (status, body) => {
    expect(judged(CREDIT, status, body, { redelivered: true })).toMatchObject({ maybePaid: true });
  });

  it('a refusal of the call after its credit was accepted: the end alone is refused', () => {
    const facts = { creditAccepted: true };
    expect(judged(CREDIT_AND_END, 400, { errorCode: REFUSAL }, facts)).toMatchObject({
      kind: 'accepted',
      endRejected: REFUSAL,
    });
  });

  it.each([
    [404, 'not found'],
    [500, {}],
    [401, {}],
  ])('status %p: it was accepted before', (status, body) => {
    const facts = { creditAccepted: true };
    expect(judged(CREDIT_AND_END, status, body, facts)).toMatchObject({ creditAccepted: true });
  });

  it('silence: neither is', () => {
    const facts = { creditAccepted: true, maybePaid: true };
    expect(judgedSilence(CREDIT_AND_END, facts)).toMatchObject({ kind: 'retryable', ...facts });
  });
});

describe('[credit, end]', () => {
  it('200 without errors: accepted whole', () => {
    const outcome = judged(CREDIT_AND_END, 200, listing(entry('credit'), entry('end')));
    expect(outcome).toMatchObject({ kind: 'accepted', endRejected: undefined });
  });

  it.each([
    ['its own error', listing(entry('credit'), entry('end', END_ERROR))],
    ['its own error, the credit not mentioned', listing(entry('end', END_ERROR))],
    ['a top-level error, the credit listed', { ...listing(entry('credit')), errorCode: END_ERROR }],
  ])('200 with an errorCode for the end alone, by %s: the end is unknown, the credit accepted', (_, body) => {
    expect(judged(CREDIT_AND_END, 200, body)).toMatchObject({ kind: 'retryable', creditAccepted: true });
  });

  it('200 with an errorCode for the credit: unknown, even where the end is fine', () => {
    const body = listing(entry('credit', REFUSAL), entry('end'));
    const expected = { kind: 'retryable', creditAccepted: false, maybePaid: true };
    expect(judged(CREDIT_AND_END, 200, body)).toMatchObject(expected);
  });

  it.each([
    ['a top-level errorCode', { errorCode: REFUSAL }],
    ['the credit’s own', listing(entry('credit', REFUSAL))],
    ['both their own', listing(entry('credit', REFUSAL), entry('end', END_ERROR))],
  ])('400 with %s: refused with the credit’s error', (_, body) => {
    expect(judged(CREDIT_AND_END, 400, body)).toMatchObject({
      kind: 'rejected',
      unauthorised: false,
      errorCode: REFUSAL,
      creditAccepted: false,
      maybePaid: false,
    });
  });

  it('400 that lists the credit as processed and refuses the end: crashed, nothing voided', () => {
    const body = listing(entry('credit'), entry('end', END_ERROR));
    expect(judged(CREDIT_AND_END, 400, body)).toMatchObject({ kind: 'accepted', endRejected: END_ERROR });
  });

  it('400 that refuses the end of a credit accepted by an earlier delivery: the same', () => {
    const body = listing(entry('end', END_ERROR));
    const outcome = judged(CREDIT_AND_END, 400, body, { creditAccepted: true });
    expect(outcome).toMatchObject({ kind: 'accepted', endRejected: END_ERROR });
  });

  it('400 that refuses the end and is silent on the credit: repeated, and it may have been paid', () => {
    const outcome = judged(CREDIT_AND_END, 400, listing(entry('end', END_ERROR)));
    expect(outcome).toMatchObject({ kind: 'retryable', maybePaid: true });
  });

  it('400 that lists the credit as processed without any errorCode: repeated, the credit accepted', () => {
    const outcome = judged(CREDIT_AND_END, 400, listing(entry('credit')));
    expect(outcome).toMatchObject({ kind: 'retryable', creditAccepted: true });
  });

  it('the end’s error is repeatable, the credit processed: repeated, the credit accepted', () => {
    const body = listing(entry('credit'), entry('end', END_ERROR));
    const outcome = judged(CREDIT_AND_END, 400, body, { repeatableErrorIds: [END_ERROR.id] });
    expect(outcome).toMatchObject({ kind: 'retryable', creditAccepted: true });
  });

  it.each([500, 408, 302, 201])('status %p: repeated, it may have been paid', (status) => {
    const expected = { kind: 'retryable', maybePaid: true };
    expect(judged(CREDIT_AND_END, status, { errorCode: REFUSAL })).toMatchObject(expected);
  });
});

describe('[end]', () => {
  it('200: accepted', () => {
    expect(judged(END, 200, {})).toMatchObject({ kind: 'accepted', endRejected: undefined });
  });

  it.each([
    ['a top-level errorCode', { errorCode: END_ERROR }],
    ['its own', listing(entry('end', END_ERROR))],
  ])('400 with %s: the end is refused (crashed), nothing else', (_, body) => {
    expect(judged(END, 400, body)).toMatchObject({ kind: 'accepted', endRejected: END_ERROR });
  });

  it.each([
    [200, 'ok'],
    [200, { errorCode: END_ERROR }],
    [201, {}],
    [302, ''],
    [400, {}],
    [404, 'no such page'],
    [408, {}],
    [425, { errorCode: END_ERROR }],
    [429, { errorCode: END_ERROR }],
    [500, {}],
    [502, null],
  ])('status %p, body %j: repeated; no credit went along that could have been paid', (status, body) => {
    const expected = { kind: 'retryable', maybePaid: false, creditAccepted: false };
    expect(judged(END, status, body)).toMatchObject(expected);
  });

  it('silence: the same', () => {
    expect(judgedSilence(END)).toMatchObject({ kind: 'retryable', maybePaid: false, creditAccepted: false });
  });

  it.each([
    [401, {}],
    [400, { errorCode: WRONG_SIGNATURE }],
  ])('status %p, body %j: not retried', (status, body) => {
    expect(judged(END, status, body)).toMatchObject({ kind: 'rejected', unauthorised: true });
  });

  it('a repeatable id: repeated', () => {
    const facts = { repeatableErrorIds: [END_ERROR.id] };
    expect(judged(END, 400, { errorCode: END_ERROR }, facts)).toMatchObject({ kind: 'retryable' });
  });
});
