import { currentDiscount } from '../../src/domain/discounts';
import { inTimeZone, TIME_ZONES } from '../support/time-zones';

const AT = '2026-03-01T10:00:00.000Z';

function isCurrent(zone: string, window: { validFrom?: string; validTo?: string }): boolean {
  const discounts = [{ stake: 100, absoluteDiscountAmount: 30, spinsRemaining: 1 }];
  const info = { currency: 'EUR', campaignId: 'c1', discounts, ...window };
  return inTimeZone(zone, () => currentDiscount(info, 100, 'EUR', AT)) !== undefined;
}

it('the time zones of this test really differ', () => {
  const times = TIME_ZONES.map((zone) => inTimeZone(zone, () => Date.parse('2026-03-01T10:00:00')));
  expect(new Set(times).size).toBe(TIME_ZONES.length);
});

describe.each(TIME_ZONES)('the window of a discount in a process with TZ=%s', (zone) => {
  it.each([
    ['2026-03-01T09:59:59', true],
    ['2026-03-01T10:00:00', true],
    ['2026-03-01T10:00:01', false],
    ['2026-03-01T09:59', true],
    ['2026-03-01T10:01', false],
    ['2026-03-01', true],
    ['2026-03-02', false],
    ['2026-03-01T10:00:00.001', false],
    ['2026-03-01T10:59:59+01:00', true],
    ['2026-03-01T11:00:01+01:00', false],
    ['2026-03-01T11:01+0100', false],
    ['2026-03-01T10:00:01Z', false],
  ])('validFrom %s, read as UTC without a zone: current is %p', (validFrom, expected) => {
    expect(isCurrent(zone, { validFrom })).toBe(expected);
  });

  it.each([
    ['2026-03-01T10:00:01', true],
    ['2026-03-01T09:59:59', false],
    ['2026-03-01T09:59', false],
    ['2026-03-01T10:59:59+01:00', false],
    ['2026-03-01T11:00:01+01:00', true],
    ['2026-03-02T00:00', true],
    ['2026-02-28', false],
  ])('validTo %s, read as UTC without a zone: current is %p', (validTo, expected) => {
    expect(isCurrent(zone, { validTo })).toBe(expected);
  });

  it('validTo without a time holds until that day is over', () => {
    expect(isCurrent(zone, { validTo: '2026-03-01' })).toBe(true);
  });

  it.each(['yesterday', '1 March 2027 00:00', '', '2026-02-30T00:00:00'])(
    'a window that is no ISO 8601 date (%p) bounds nothing',
    (text) => {
      expect(isCurrent(zone, { validFrom: text, validTo: text })).toBe(true);
    },
  );
});
