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

const DEBIT = callOf('debit', 'debit');
const DEBIT_AND_END = callOf('debit', 'debit', 'end');
const BODIES = bodiesFor('debit');
const COLUMNS = 'ok empty listed otherFailed text array null topError ownError listedTopError';

/** docs/interface#debit-accepted, #debit-declined and #unknown; what each letter stands for is in `expectationOf`. */
const GRID = casesOf(COLUMNS, {
  // Accepted: a JSON object without errorCode for it; a top-level one counts for what isn't listed.
  '200': 'A A A A U U U U U A',
  // docs/interface#unknown: other 2xx, redirects, 5xx, 408.
  '201 204 302 307 408 500 502 503 504': 'U U U U U U U U U U',
  // A 4xx declines, never retried (docs/interface#retry-rule); a void only where it went through (docs/interface#declined-but-processed).
  '400 404 409 422 425 429': 'd d P d d d d D D PD',
  '401': 's s s s s s s S S s',
});

const declined = { kind: 'declined', unauthorised: false, processed: false };

function expectationOf(cell: string): object {
  switch (cell) {
    case 'A':
      return { kind: 'accepted', endRejected: undefined };
    case 'U':
      return { kind: 'unknown' };
    case 'd':
      return { ...declined, errorCode: undefined };
    case 'D':
      return { ...declined, errorCode: REFUSAL };
    case 'P':
      return { ...declined, processed: true, errorCode: undefined };
    case 'PD':
      return { ...declined, processed: true, errorCode: REFUSAL };
    case 's':
      return { kind: 'declined', unauthorised: true };
    case 'S':
      return { kind: 'declined', unauthorised: true, processed: false };
    default:
      throw new Error(cell);
  }
}

describe('[debit], first delivery', () => {
  it.each(GRID)('status %p, body %s: %s', (status, body, cell) => {
    expect(judged(DEBIT, status, BODIES[body])).toMatchObject(expectationOf(cell));
  });

  it('silence: unknown, never declined', () => {
    expect(judgedSilence(DEBIT)).toMatchObject({ kind: 'unknown' });
  });

  it('a 200 without hashesProcessed that is no array still counts by its errorCode alone', () => {
    expect(judged(DEBIT, 200, { hashesProcessed: 'all' })).toMatchObject({ kind: 'accepted' });
    expect(judged(DEBIT, 200, { hashesProcessed: {}, errorCode: REFUSAL })).toMatchObject({
      kind: 'unknown',
    });
    expect(judged(DEBIT, 200, { hashesProcessed: [null, 7, 'x'] })).toMatchObject({ kind: 'accepted' });
  });

  it('listed twice, once with an error: unknown on a 200', () => {
    const body = listing(entry('debit'), entry('debit', REFUSAL));
    expect(judged(DEBIT, 200, body)).toMatchObject({ kind: 'unknown' });
  });

  it('errorCode null is none', () => {
    expect(judged(DEBIT, 200, { errorCode: null })).toMatchObject({ kind: 'accepted' });
    expect(judged(DEBIT, 400, { errorCode: null })).toMatchObject({ ...declined, errorCode: undefined });
  });

  it('id 1001 with a 4xx: declined, and the provider gets 502 instead of the operator’s id', () => {
    expect(judged(DEBIT, 400, { errorCode: WRONG_SIGNATURE })).toMatchObject({
      kind: 'declined',
      unauthorised: true,
    });
  });

  it('its own error goes before the top-level one', () => {
    const body = { ...listing(entry('debit', REFUSAL)), errorCode: END_ERROR };
    expect(judged(DEBIT, 400, body)).toMatchObject({ kind: 'declined', errorCode: REFUSAL });
  });

  it('a repeatable error id is no reason to repeat a debit', () => {
    const facts = { repeatableErrorIds: [REFUSAL.id] };
    expect(judged(DEBIT, 400, { errorCode: REFUSAL }, facts)).toMatchObject(declined);
  });
});

describe('[debit] that may have been delivered before: any answer but acceptance is unknown', () => {
  it.each(GRID)('status %p, body %s (fresh: %s)', (status, body, cell) => {
    const kind = cell === 'A' ? 'accepted' : 'unknown';
    expect(judged(DEBIT, status, BODIES[body], { redelivered: true })).toMatchObject({ kind });
  });

  it('silence', () => {
    expect(judgedSilence(DEBIT, { redelivered: true })).toMatchObject({ kind: 'unknown' });
  });
});

describe('[debit, end]', () => {
  it.each([
    ['without errors', {}],
    ['with both listed', listing(entry('debit'), entry('end'))],
  ])('200 %s: accepted whole', (_, body) => {
    expect(judged(DEBIT_AND_END, 200, body)).toMatchObject({ kind: 'accepted', endRejected: undefined });
  });

  it.each([
    ['its own error', listing(entry('debit'), entry('end', END_ERROR))],
    ['its own error, the debit not mentioned', listing(entry('end', END_ERROR))],
    [
      'a top-level errorCode, which counts for what is not listed',
      { ...listing(entry('debit')), errorCode: END_ERROR },
    ],
  ])('200 with only the end refused, by %s: accepted, end refused (crashed)', (_, body) => {
    expect(judged(DEBIT_AND_END, 200, body)).toMatchObject({ kind: 'accepted', endRejected: END_ERROR });
  });

  it.each([
    ['a top-level errorCode', { errorCode: REFUSAL }],
    ['the debit’s own', listing(entry('debit', REFUSAL), entry('end'))],
    ['both', listing(entry('debit', REFUSAL), entry('end', END_ERROR))],
  ])('200 with an errorCode for the debit, by %s: unknown', (_, body) => {
    expect(judged(DEBIT_AND_END, 200, body)).toMatchObject({ kind: 'unknown' });
  });

  it('4xx that lists the debit as processed and the end as failed: declined, but it went through', () => {
    const body = listing(entry('debit'), entry('end', END_ERROR));
    expect(judged(DEBIT_AND_END, 400, body)).toMatchObject({ kind: 'declined', processed: true });
  });

  it('4xx that fails both: declined with the debit’s error', () => {
    const body = listing(entry('debit', REFUSAL), entry('end', END_ERROR));
    expect(judged(DEBIT_AND_END, 400, body)).toMatchObject({ ...declined, errorCode: REFUSAL });
  });

  it('redelivered, only the end refused on a 200: the debit is accepted all the same', () => {
    const body = listing(entry('debit'), entry('end', END_ERROR));
    expect(judged(DEBIT_AND_END, 200, body, { redelivered: true })).toMatchObject({
      kind: 'accepted',
      endRejected: END_ERROR,
    });
  });

  it.each([201, 302, 408, 500, 502])('status %p: unknown, whatever is listed', (status) => {
    const body = listing(entry('debit'), entry('end'));
    expect(judged(DEBIT_AND_END, status, body)).toMatchObject({ kind: 'unknown' });
  });
});
