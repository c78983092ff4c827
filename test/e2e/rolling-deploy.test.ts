import { compareBooks, runningRounds } from '../../bench/books';
import { replaceUnderPlay } from '../../bench/rollover';
import { takeSeat } from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';

/* Replaces both APIs and both workers while players play. `npm run bench -- rolling` is the longer form. */
jest.setTimeout(300_000);

let stack: E2eStack;
beforeAll(async () => {
  stack = await startE2eStack({
    operators: [{ operatorId: 'op1', walletTimeout: '8s', gameRoundReport: false }],
  });
});
afterAll(() => stack?.close());

test('a rolling deploy while players play: no call fails, no bet is voided', async () => {
  const seats = await Promise.all(Array.from({ length: 3 }, () => takeSeat(stack)));
  const { failed, rounds } = await replaceUnderPlay(stack, seats, 1);
  expect(failed).toEqual([]);
  expect(await runningRounds(stack, 0, 30_000)).toBe(0);
  const books = await compareBooks(stack, 'op1');
  expect(books).toEqual({ rounds, byStatus: { closed: rounds }, voids: 0, differences: [] });
});
