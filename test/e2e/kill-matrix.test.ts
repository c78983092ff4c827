import { abandonedRounds } from '../support/e2e-books';
import { judgeCell, killAndRecover, MOMENTS, type Outcomes } from '../support/e2e-kill';
import { KILL_OPERATORS, scenariosOf } from '../support/e2e-kill-scenarios';
import { startE2eStack, type E2eStack, type Part } from '../support/e2e-stack';

/*
 * A table of killed processes (kill -9) and moments (docs/interface#process-death). Each cell is a test. All rounds of a
 * row, each of another player, are brought to their moments and meet the same kill. Then each round is recovered as a
 * provider does it (docs/interface#lost-reply), under the same key or another one, and judged by itself.
 */
jest.setTimeout(180_000);

const VICTIMS: readonly (readonly [name: string, parts: readonly Part[]])[] = [
  ['the worker', ['worker']],
  ['the API', ['api']],
  ['Temporal', ['temporal']],
  ['mongod', ['mongod']],
  ['all four at once', ['worker', 'api', 'temporal', 'mongod']],
];

let stack: E2eStack;
beforeAll(async () => {
  stack = await startE2eStack({ operators: KILL_OPERATORS });
});
afterAll(() => stack?.close());

describe.each(VICTIMS)('kill -9 of %s', (_name, victims) => {
  let outcomes: Outcomes;
  beforeAll(async () => {
    await stack.ready();
    outcomes = await killAndRecover(stack, victims, scenariosOf(stack, victims));
  });

  test.each(MOMENTS)('%s', (moment) => judgeCell(outcomes, moment));

  test('no record is open without a running workflow', async () => {
    expect(await abandonedRounds(stack)).toEqual([]);
  });
});
