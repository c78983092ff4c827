import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../stack/paths';

/** A row of docs/coverage.md. */
export interface Row {
  id: string;
  section: string;
  what: string;
  tests: readonly TestReference[];
}

export interface TestReference {
  /** From the project's root. */
  file: string;
  /** Its describes' titles and its own, joined by ` › `. */
  title: string;
}

export function coverageTable(root = projectRoot()): Row[] {
  const rows: Row[] = [];
  let section = '';
  for (const line of readFileSync(join(root, 'docs', 'coverage.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    const [, id, what, tests, ...more] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.replaceAll('\\|', '|').trim());
    if (id === undefined || what === undefined || tests === undefined) continue;
    if (id === 'row' || /^-+$/.test(id)) continue;
    if (more.join('') !== '') throw new Error(`row ${id} of docs/coverage.md has too many cells`);
    rows.push({ id, section, what, tests: referencesIn(tests) });
  }
  return rows;
}

function referencesIn(cell: string): TestReference[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, reference = '']) => {
    const [file = '', ...titles] = reference.split(' › ');
    return { file: `test/${file}`, title: titles.join(' › ') };
  });
}

/** Generated cases take too long for Stryker, which runs the tests anew for each of its changes. */
const GENERATED = /\.propert(y|ies)\.test\.ts$|\/round\.wallet\.test\.ts$/;

/** Whether Stryker runs the tests of this file (test/domain/together.ts). */
export function strykerRuns(file: string): boolean {
  return file.startsWith('test/domain/') && file.endsWith('.test.ts') && !GENERATED.test(file);
}

/** A reference's title as `jest -t` matches it: placeholders of a table of cases stand for anything. */
export function patternOf({ title }: TestReference): string {
  const escaped = title.replaceAll(' › ', ' ').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const placeholder = /%(?:\d+\\\$)?[a-z#]|%%|\\\$\\\{.*?\\\}|\\\$[a-zA-Z_.]+/g;
  return `^${escaped.replace(placeholder, '.*')}$`;
}
