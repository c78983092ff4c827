import { addAmounts, isAmount, MAX_AMOUNT } from '../../src/domain/money';

describe('amounts (contract §4: integers from 0 to 2^53-1 in minor units, checked on sums too)', () => {
  it('the largest is 2^53 - 1', () => {
    expect(MAX_AMOUNT).toBe(9007199254740991);
  });

  it.each([0, 1, 250, 100_000_000, 9007199254740991])('%p is one', (value) => {
    expect(isAmount(value)).toBe(true);
  });

  it.each([
    [0.5],
    [-1],
    [1e21],
    [9007199254740992],
    // Reads as ...992: the literal of failure 8.
    [Number('9007199254740993')],
    ['100'],
    [''],
    [-0],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [null],
    [undefined],
    [true],
    [[100]],
    [{ amount: 100 }],
    [100n],
  ])('%p is none (failure 8)', (value) => {
    expect(isAmount(value)).toBe(false);
  });

  it.each([
    [0, 0, 0],
    [1, 2, 3],
    [MAX_AMOUNT, 0, MAX_AMOUNT],
    [MAX_AMOUNT - 1, 1, MAX_AMOUNT],
  ])('%p + %p = %p', (left, right, sum) => {
    expect(addAmounts(left, right)).toBe(sum);
  });

  it.each([
    [MAX_AMOUNT, 1],
    [1, MAX_AMOUNT],
    [MAX_AMOUNT, MAX_AMOUNT],
    [MAX_AMOUNT - 1, 2],
  ])('%p + %p has no exact sum', (left, right) => {
    expect(addAmounts(left, right)).toBeUndefined();
  });
});
