import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUG_NAMES, BUGS } from '../../chaos/bugs';
import { faultsDealt, type Injected } from '../../chaos/injector';
import { compiledWith, NEXT_WORKFLOWS } from '../../chaos/sources';
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

test('the next workflow code compiles, so that a deploy can be dealt', async () => {
  const next = await compiledWith(NEXT_WORKFLOWS);
  expect(next).not.toBe(await compiledWith([]));
});

test('a kind of fault that can never be dealt is a violation', () => {
  const dealt = (name: string, error?: string): Injected => ({
    ...{ atMs: 0, lane: LANES[0], hits: 0 },
    fault: { name, kind: 'deploy' },
    error,
  });
  const checked = faultsDealt([dealt('one', 'a round ended'), dealt('one'), dealt('two', 'no such file')]);
  expect(checked).toMatchObject({ examined: 2, violations: [{ what: 'two: no such file' }] });
});
