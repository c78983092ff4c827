import { defaultPayloadConverter } from '@temporalio/common';
import { expectedMarks } from '../../chaos/checks/marks';
import { sentAt } from '../../chaos/checks/deliveries';
import type { RoundEvidence } from '../../chaos/evidence';
import { readHistory } from '../../chaos/history';

describe('when a call left', () => {
  const RECEIVED = Date.parse('2026-01-01T12:00:00.000Z');
  const MINUTE_MS = 60_000;
  const sent = (agoMs: number, skewMs: number, skews: Parameters<typeof sentAt>[1]): number => {
    const stamped = new Date(RECEIVED - agoMs + skewMs).toISOString();
    return RECEIVED - sentAt({ receivedMs: RECEIVED, headers: { 'X-H-TIMESTAMP': stamped } }, skews);
  };
  const worker = (skewMs: number, from: number, until?: number) => ({
    ...{ clock: 'worker-1' as const, skewMs, from: RECEIVED + from },
    ...(until === undefined ? {} : { until: RECEIVED + until }),
  });

  it.each([
    ['at once', 40, 0, [], 40],
    ['held back by the network', 9_000, 0, [], 9_000],
    ['by a clock that is behind', 300, -13 * MINUTE_MS, [worker(-13 * MINUTE_MS, -20_000)], 300],
    [
      'by a clock that is behind, and held back',
      7_000,
      -MINUTE_MS,
      [worker(-MINUTE_MS, -20_000, 500)],
      7_000,
    ],
    ['by a clock that is ahead, and held back', 7_000, MINUTE_MS, [worker(MINUTE_MS, -20_000)], 7_000],
    [
      'by a clock that was right again',
      5_000,
      0,
      [worker(-MINUTE_MS, -20_000, -8_000), worker(0, -8_000)],
      5_000,
    ],
    ['by a clock that was another then', 5_000, -MINUTE_MS, [worker(-MINUTE_MS, -60_000, -30_000)], 0],
    ['by a clock that nobody knows of', 5_000, -MINUTE_MS, [], 0],
  ])('%s', (_what, agoMs, skewMs, skews, expected) => {
    expect(sent(agoMs, skewMs, skews)).toBe(expected);
  });
});

describe('the marks that a round should have', () => {
  const closed = { calls: [], state: { status: 'closed', transactions: [] } } as unknown as RoundEvidence;

  it.each([
    ['the game’s result, for more than a minute', 'fetchResult', 70_000, ['result-pending'], []],
    ['the game’s result, for about a minute', 'fetchResult', 60_000, [], ['result-pending']],
    ['the game’s result, for a moment', 'fetchResult', 1_000, [], []],
    ['the operator’s report, for more than a minute', 'report', 70_000, ['report-pending'], []],
    ['its record, for more than two seconds', 'project', 7_000, ['projection-pending'], []],
    ['a credit', 'deliverUntilDefinite', 0, ['credit-pending'], []],
  ])('that waits for %s', (_what, name, forMs, must, may) => {
    expect(expectedMarks(closed, { pending: [{ name, forMs }], openForMs: 0 })).toEqual({ must, may });
  });

  const NEXT = { type: 'void', hash: 'h' };
  const told = (status: number, clientLeft?: true) => ({
    ...{ status, body: { gameRound: 'g', transactions: [NEXT] } },
    clientLeft,
  });
  it.each([
    ['refused for our signature', [told(401)], ['void-refused']],
    ['refused so, an older one held back and accepted after it', [told(401), told(200)], ['void-refused']],
    ['refused so, and nobody heard of it', [told(401, true)], []],
    ['accepted', [told(200)], []],
    ['not sent', [], []],
  ])('whose void that is owed was %s', (_what, calls, must) => {
    const state = { status: 'cancel', transactions: [{ ...NEXT, outcome: 'pending' }] };
    const round = { calls, state } as unknown as RoundEvidence;
    expect(expectedMarks(round, { pending: [], openForMs: 0 })).toEqual({ must, may: [] });
  });

  it.each([
    ['refused for our signature', false, [told(401)], ['credit-unauthorised']],
    ['refused so, and nobody heard of it', false, [told(401, true)], []],
    ['refused so, and has crashed', true, [told(401)], ['crashed']],
    ['accepted', false, [told(200)], []],
  ])('whose win that is owed was %s', (_what, crashed, calls, must) => {
    const win = { type: 'credit', hash: 'h' };
    const state = { status: 'open', crashed, transactions: [{ ...win, outcome: 'pending' }] };
    const sent = calls.map((call) => ({ ...call, body: { gameRound: 'g', transactions: [win] } }));
    const round = { calls: sent, state } as unknown as RoundEvidence;
    expect(expectedMarks(round, { pending: [], openForMs: 0 })).toEqual({ must, may: [] });
  });
});

test('a record of a later time than its workflow may show what the lost run waited for', () => {
  const round = { calls: [], state: { status: 'open', transactions: [] } } as unknown as RoundEvidence;
  const { must, may } = expectedMarks(round, { pending: [], openForMs: 0, isAhead: true });
  expect(must).toEqual([]);
  expect(may).toEqual(expect.arrayContaining(['restored', 'credit-unauthorised']));
});

test('a delivery that found the record ahead is told from one that reached the wallet', () => {
  const result = { payloads: [defaultPayloadConverter.toPayload({ result: { kind: 'ahead' }, at: 'x' })] };
  const events = [
    {
      eventId: 5,
      activityTaskScheduledEventAttributes: { activityId: '1', activityType: { name: 'deliver' } },
    },
    { eventId: 6, activityTaskCompletedEventAttributes: { scheduledEventId: 5, result } },
  ];
  expect(readHistory({ events } as never).deliveries).toEqual([
    { atMs: expect.any(Number) as number, kind: 'ahead' },
  ]);
});
