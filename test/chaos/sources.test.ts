import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUG_NAMES, BUGS } from '../../chaos/bugs';
import { NEXT_WORKFLOWS } from '../../chaos/sources';
import type { Change } from '../support/changed-project';
import { faultsOf, LANES, LONG } from '../../chaos/schedule';
import { projectRoot } from '../../stack/paths';

const CHANGES: [name: string, changes: readonly Change[]][] = [
  ...BUG_NAMES.map((name): [string, readonly Change[]] => [name, BUGS[name].changes]),
  ['the next workflow code', NEXT_WORKFLOWS],
];

test.each(CHANGES)('%s: what is to be changed stands in the sources exactly once', async (_name, changes) => {
  for (const { file, find } of changes) {
    const text = await readFile(join(projectRoot(), file), 'utf8');
    expect([file, text.split(find).length - 1]).toEqual([file, 1]);
  }
});

test('a seed gives the same faults again, and another seed others', () => {
  const first = (seed: number): string =>
    JSON.stringify(
      LANES.map((lane) => {
        const faults = faultsOf(lane, seed, LONG);
        return Array.from({ length: 50 }, (): unknown => faults.next().value);
      }),
    );
  expect(first(7)).toBe(first(7));
  expect(first(8)).not.toBe(first(7));
});
