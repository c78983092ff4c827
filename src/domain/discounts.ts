import { isAmount } from './money';
import type { Discount } from './round/types';
import { isLine } from './texts';
import { parsePeriodEnd, parseTimestamp } from './time';

/**
 * Reads the current discount of a stake from a balance's discountInfo (docs/interface#discounts). The campaign must be valid
 * and have spins left. The operator subtracts the discount; the service only records it.
 */
export function currentDiscount(
  info: unknown,
  stake: number,
  currency: string,
  at: string,
): Discount | undefined {
  const { discounts, campaignId, validFrom, validTo, ...rest } = fieldsOf(info);
  if (rest.currency !== undefined && rest.currency !== currency) return undefined;
  if (!isWithin(at, validFrom, validTo) || !Array.isArray(discounts)) return undefined;
  const found = discounts.map(fieldsOf).find((discount) => isFor(discount, stake));
  if (found === undefined || !isAmount(found.absoluteDiscountAmount)) return undefined;
  return {
    amount: Math.min(found.absoluteDiscountAmount, stake),
    ...(isLine(campaignId) ? { campaignId } : {}),
  };
}

/** The discountInfo after a bet that used the discount: one spin less. */
export function withoutSpin(info: Record<string, unknown> = {}, stake: number): Record<string, unknown> {
  const discounts: unknown[] = Array.isArray(info.discounts) ? info.discounts : [];
  const used = discounts.findIndex((discount) => isFor(fieldsOf(discount), stake));
  return {
    ...info,
    discounts: discounts.map((discount, index) =>
      index === used ? { ...fieldsOf(discount), spinsRemaining: spinsOf(discount) - 1 } : discount,
    ),
  };
}

function isFor(discount: Record<string, unknown>, stake: number): boolean {
  return discount.stake === stake && spinsOf(discount) > 0;
}

function spinsOf(discount: unknown): number {
  const { spinsRemaining } = fieldsOf(discount);
  return typeof spinsRemaining === 'number' ? spinsRemaining : 0;
}

/** A bound that is absent, or is no ISO 8601 date, does not limit the period. */
function isWithin(at: string, from: unknown, to: unknown): boolean {
  const now = parseTimestamp(at)!;
  const first = typeof from === 'string' ? parsePeriodEnd(from, 'first') : undefined;
  const last = typeof to === 'string' ? parsePeriodEnd(to, 'last') : undefined;
  return now >= (first ?? now) && now <= (last ?? now);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
