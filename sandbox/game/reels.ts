/**
 * The demo slot: three reels, one line in the middle. Pure functions: the outcome depends only on the given random numbers,
 * one per reel, each in [0, 1). The numbers come from the service's generator or the game's own.
 */
export const SYMBOLS = ['seven', 'bell', 'star', 'plum', 'lemon', 'cherry'] as const;
export type Symbol = (typeof SYMBOLS)[number];

export const REEL_COUNT = 3;

/** The number of each symbol on a reel of 20 stops. */
const COUNTS: Record<Symbol, number> = { seven: 1, bell: 2, star: 3, plum: 4, lemon: 5, cherry: 5 };

/** The win of three equal symbols, in stakes. */
const THREE_PAY: Record<Symbol, number> = {
  seven: 500,
  bell: 100,
  star: 40,
  plum: 20,
  lemon: 10,
  cherry: 10,
};
/** The win of cherries on only the first two reels, in stakes. */
const TWO_CHERRIES_PAY = 4;
/** The possible wins of the bonus, in stakes. All are equally likely. */
const BONUS_PAYS = [1, 2, 3, 5, 8] as const;

/** The symbols in an order in which equal ones are rarely neighbours. */
const STRIP: readonly Symbol[] = spread(
  SYMBOLS.flatMap((symbol) => Array<Symbol>(COUNTS[symbol]).fill(symbol)),
);

function spread(symbols: readonly Symbol[]): Symbol[] {
  // 7 and 20 have no common factor, so the steps reach each of the 20 stops once.
  const step = 7;
  return symbols.map((_, at) => symbols[(at * step) % symbols.length] ?? 'cherry');
}

/** The rules that the page shows. */
export const MACHINE = {
  strip: STRIP,
  pays: [
    ...SYMBOLS.map((symbol) => ({ line: [symbol, symbol, symbol], odds: THREE_PAY[symbol] })),
    { line: ['cherry', 'cherry'], odds: TWO_CHERRIES_PAY },
  ],
  bonus: BONUS_PAYS,
};

export interface Spin {
  stops: number[];
  /** Rows from top to bottom. The middle row is the line. */
  window: Symbol[][];
  line: Symbol[];
  /** The win in stakes. */
  odds: number;
  winAmount: number;
}

function at(stop: number): Symbol {
  return STRIP[(stop + STRIP.length) % STRIP.length] ?? 'cherry';
}

export function oddsOf([first, second, third]: readonly Symbol[]): number {
  if (first !== undefined && first === second && second === third) return THREE_PAY[first];
  return first === 'cherry' && second === 'cherry' ? TWO_CHERRIES_PAY : 0;
}

/** @throws RangeError if a number is outside [0, 1) or there are too few, so that a broken source never pays */
export function spinReels(stake: number, numbers: readonly number[]): Spin {
  const stops = takeNumbers(numbers, REEL_COUNT).map((number) => Math.floor(number * STRIP.length));
  const line = stops.map(at);
  const odds = oddsOf(line);
  const window = [-1, 0, 1].map((row) => stops.map((stop) => at(stop + row)));
  return { stops, window, line, odds, winAmount: stake * odds };
}

export function bonusWin(stake: number, numbers: readonly number[]): number {
  const [number = 0] = takeNumbers(numbers, 1);
  return stake * (BONUS_PAYS[Math.floor(number * BONUS_PAYS.length)] ?? 0);
}

function takeNumbers(numbers: readonly number[], count: number): number[] {
  const taken = numbers.slice(0, count);
  if (taken.length < count || taken.some((number) => !(number >= 0 && number < 1))) {
    throw new RangeError('random numbers must be in [0, 1)');
  }
  return taken;
}

/** The exact return to player in per cent, from all combinations of stops. It does not include the bonus. */
export function expectedRtp(): number {
  const all = STRIP.length ** REEL_COUNT;
  let paid = 0;
  for (let combination = 0; combination < all; combination += 1) {
    const size = STRIP.length;
    const stops = [
      combination % size,
      Math.floor(combination / size) % size,
      Math.floor(combination / size ** 2),
    ];
    paid += oddsOf(stops.map(at));
  }
  return (100 * paid) / all;
}

export const MAX_PAYOUT_ODDS = Math.max(...Object.values(THREE_PAY));

const BASE_STAKES = [10, 20, 50, 100, 200, 500] as const;

/** The stakes in minor units: base stakes times the multiplier. The multiplier is applied only here. */
export function stakeLadder(currencyMultiplier: number): number[] {
  const scaled = BASE_STAKES.map((stake) => Math.round(exactProduct(stake, currencyMultiplier)));
  return [...new Set(scaled)].filter((stake) => stake > 0 && Number.isSafeInteger(stake * MAX_PAYOUT_ODDS));
}

/** A double has 15 exact decimal digits. Rounding removes errors of the multiplication, such as 55.00000000000001. */
function exactProduct(amount: number, multiplier: number): number {
  return Number((amount * multiplier).toPrecision(15));
}

/** mulberry32, for demo games and for tests that need repeatable spins. Not for real money. */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
