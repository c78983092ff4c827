/**
 * Amounts are integers in minor units of the player currency, from 0 to 2^53 - 1; sums obey the same bounds.
 * The currency multiplier is applied once, when the stake ladder is built, and never to the amount of a transaction.
 * Doubles can't hold most decimal fractions, so calculations with fractions are done here, in integers.
 */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
}

/** The sum, or undefined if it is above the range in which integers are exact. */
export function addAmounts(left: number, right: number): number | undefined {
  const sum = left + right;
  return sum <= MAX_AMOUNT ? sum : undefined;
}

/**
 * An amount in minor units times a currency multiplier, exact: 30 × 0.1 is 3, not 3.0000000000000004. `fraction` says
 * whether a remaining fraction is rounded up (for a minimum) or down (for a maximum). The result is at most 2^53 − 1.
 */
export function timesMultiplier(amount: number, multiplier: number, fraction: 'up' | 'down'): number {
  const [factor, scale] = decimal(multiplier);
  const scaled = BigInt(Math.trunc(amount)) * factor;
  const whole = scaled / scale;
  const rounded = fraction === 'up' && scaled % scale > 0n ? whole + 1n : whole;
  return rounded > BigInt(MAX_AMOUNT) ? MAX_AMOUNT : Number(rounded);
}

/** A stake divided by the multiplier, exact: 33 with 1.1 is 30, not 29.999999999999996. */
export function beforeMultiplier(stake: number, multiplier: number): number {
  const [factor, scale] = decimal(multiplier);
  return quotient(BigInt(stake) * scale, factor);
}

/** An exact sum of numbers with fractions, as an operator's balances may have: 0.1 + 0.2 is 0.3. */
export function exactSum(amounts: readonly number[]): number {
  const parts = amounts.map(decimal);
  const scale = parts.reduce((most, [, one]) => (one > most ? one : most), 1n);
  return quotient(
    parts.reduce((sum, [digits, one]) => sum + digits * (scale / one), 0n),
    scale,
  );
}

/** The number's decimal text as an integer and a power of ten. */
function decimal(value: number): [digits: bigint, scale: bigint] {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return shift >= 0 ? [digits * 10n ** BigInt(shift), 1n] : [digits, 10n ** BigInt(-shift)];
}

/** More digits than a double has. Number() then finds the nearest double. */
const DECIMAL_PLACES = 40n;

function quotient(numerator: bigint, denominator: bigint): number {
  const places = denominator === 0n ? 0n : (numerator * 10n ** DECIMAL_PLACES) / denominator;
  return Number(`${places}e-${DECIMAL_PLACES}`);
}

/**
 * Digits after the decimal point of the currencies that don't have two (ISO 4217). Intl has the digits that are in daily use:
 * none for HUF or IDR, whose minor units are hundredths.
 */
const OTHER_DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** An amount for people: `7.00 EUR`. Only ISO codes have known digits; with another code the minor units are named as such. */
export function moneyText(amount: number, currency: string): string {
  const digits = digitsOf(currency);
  if (digits === undefined) return `${amount} minor units of ${currency}`;
  const text = String(amount).padStart(digits + 1, '0');
  const point = text.length - digits;
  return `${digits === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`} ${currency}`;
}

/** The amount in major units as a double: for searches, not for calculations. */
export function majorUnits(amount: number, currency: string): number {
  return amount / 10 ** (digitsOf(currency) ?? 0);
}

function digitsOf(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency)) return undefined;
  return OTHER_DIGITS.find(([, codes]) => codes.split(' ').includes(currency))?.[0] ?? 2;
}
