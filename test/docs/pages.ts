import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../../stack/paths';

export const ROOT = projectRoot();

/** The pages that people read, from the project's root. */
export function pages(): string[] {
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  const readmes = ['', 'conformance/', 'sandbox/', 'sdk/', 'sdk-python/'].map(
    (folder) => `${folder}README.md`,
  );
  return [...readmes, ...inDocs.sort()];
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** What stands under a heading of the second level. */
export function sectionOf(page: string, heading: string): string {
  const sections = textOf(page).split(/^## /m);
  const found = sections.find((section) => section.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`${page} has no section "${heading}"`);
  return found;
}

/** The rows of a section's tables, cell by cell, without their heads. */
export function rowsOf(section: string): string[][] {
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.filter((row, at) => !isRule(row) && !isRule(rows[at + 1]));
}

function isRule(row: string[] | undefined): boolean {
  return row !== undefined && row.every((cell) => /^:?-+:?$/.test(cell));
}

/** The code in a cell's backticks. */
export function codeIn(cell: string | undefined): string | undefined {
  return /^`(.*)`$/.exec(cell ?? '')?.[1];
}
