import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from '../../stack/paths';
import { coverageTable } from './table';

/* Rules of docs/interface: each has one anchor and a test, and what is cited exists. */

const ROOT = projectRoot();
const FOLDERS =
  'activities bench chaos conformance docs sandbox scripts sdk src stack test worker workflows'.split(' ');

/** Text by path, of everything that can cite a rule. */
const TEXTS = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|md|js)$/.test(file) && !/node_modules|^dist/.test(file))
      .map((file) => join(folder, file)),
  ).map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

interface Rule {
  page: string;
  anchor: string;
  /** Rows of docs/coverage.md. */
  rows: string[];
}

const isPage = (path: string): boolean => path.startsWith(join('docs', 'interface'));

const RULES: Rule[] = [...TEXTS].flatMap(([path, text]) => {
  if (!isPage(path)) return [];
  const [, ...parts] = text.split('<a id="');
  return parts.map((part) => ({
    page: basename(path),
    anchor: part.slice(0, part.indexOf('"')),
    rows: [...part.matchAll(/\(tests:\s([^)]*)\)/g)].flatMap(([, rows]) => rows!.split(/,\s+/)),
  }));
});

/** `docs/interface#…`, several as `docs/interface#…, #… and #…`; links to a page as `interface/….md#…`. */
const CITATIONS = /interface(?:\/([\w-]+\.md))?((?:(?:, | and )?#[a-z][\w-]*)+)/g;
/** Links of a page to a rule, of its own or of another page. */
const LINKS = /\]\(([\w-]+\.md)?(#[a-z][\w-]*)\)/g;

const CITED = [...TEXTS].flatMap(([path, text]) =>
  [...text.matchAll(CITATIONS), ...(isPage(path) ? text.matchAll(LINKS) : [])].flatMap(([, page, anchors]) =>
    [...anchors!.matchAll(/#([\w-]+)/g)].map(([, anchor]) => ({ path, page, anchor })),
  ),
);

test('every anchor of docs/interface is there once', () => {
  expect(RULES.length).toBeGreaterThan(150);
  const anchors = RULES.map(({ anchor }) => anchor);
  expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
});

test('every cited rule exists, on the page that is named', () => {
  expect(CITED.length).toBeGreaterThan(200);
  const isKnown = (page: string | undefined, anchor: string | undefined): boolean =>
    RULES.some((rule) => rule.anchor === anchor && (page === undefined || rule.page === page));
  expect(CITED.filter(({ page, anchor }) => !isKnown(page, anchor))).toEqual([]);
});

test('every rule has a test: in a row of docs/coverage.md, or in a test file that cites it', () => {
  const rows = new Set(coverageTable().map(({ id }) => id));
  const inTests = new Set(CITED.filter(({ path }) => path.startsWith('test')).map(({ anchor }) => anchor));
  expect(RULES.flatMap((rule) => rule.rows.filter((row) => !rows.has(row)))).toEqual([]);
  expect(RULES.filter(({ anchor, rows: own }) => own.length === 0 && !inTests.has(anchor))).toEqual([]);
});

test('no document is cited that is not in the project', () => {
  const elsewhere = /\b[Cc]ontract §\d|\b[Cc]ontract: [A-Z]|\([Ss]pec\b|\bSpec "|\bfailure \d/;
  expect([...TEXTS].filter(([, text]) => elsewhere.test(text)).map(([path]) => path)).toEqual([]);
});
