/**
 * Amounts are integers in minor units of the player currency, from 0 to 2^53 - 1; sums obey the same bounds.
 * The currency multiplier is applied once, when the stake ladder is built, and never here.
 */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
}

/** The sum, or undefined where it would leave the range in which integers are exact. */
export function addAmounts(left: number, right: number): number | undefined {
  const sum = left + right;
  return sum <= MAX_AMOUNT ? sum : undefined;
}
