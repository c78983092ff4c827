import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../src/domain/errors';
import { openApiDocument } from '../../src/http/openapi/document';
import { projectRoot } from '../../stack/paths';
import { BREAKS } from './breaks';
import { coverageTable, strykerRuns, type Row } from './table';
import { titlesIn } from './titles';

/* docs/coverage.md names a test for everything that the interface has, and a break for every row. */

type Json = Record<string, unknown>;

const ROOT = projectRoot();
const ROWS = coverageTable();
const DOCUMENT = openApiDocument('https://api.example') as {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

interface Operation {
  parameters?: { name?: string }[];
}

/** The words of a row that stand in backticks. */
const quoted = ({ what }: Row): string[] => [...what.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);

const operations = [...operationsIn(DOCUMENT.paths, ''), ...operationsIn(DOCUMENT.webhooks, '→ ')];

function operationsIn(paths: Record<string, Record<string, Operation>>, mark: string) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${mark}${method.toUpperCase()} ${path}`,
      parameters: (operation.parameters ?? []).flatMap(({ name }) => name ?? []),
    })),
  );
}

/** `a`, `a.b`: the fields of a schema and of the objects in it that have no name of their own. */
function fieldsOf(schema: unknown, prefix = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    properties = {},
    items,
    anyOf = [],
    oneOf = [],
    allOf = [],
  } = schema as Json & {
    properties?: Json;
    anyOf?: unknown[];
    oneOf?: unknown[];
    allOf?: unknown[];
  };
  const own = Object.entries(properties).flatMap(([name, value]) => [
    `${prefix}${name}`,
    ...fieldsOf(value, `${prefix}${name}.`),
  ]);
  return [...own, ...[items, ...anyOf, ...oneOf, ...allOf].flatMap((part) => fieldsOf(part, prefix))];
}

/** Schema (or operation, for its query) → the fields that rows name; `as X` takes over those of X. */
function namedFields(): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>();
  for (const row of ROWS.filter(({ section }) => section === 'Fields')) {
    const [schema, ...fields] = quoted(row);
    if (schema === undefined) continue;
    const known = named.get(schema) ?? new Set();
    const [, base] = / as (\w+)/.exec(row.what) ?? [];
    for (const field of [...fields, ...(named.get(base ?? '') ?? [])]) known.add(field);
    named.set(schema, known);
  }
  return named;
}

test('every row has an id of its own and names a test that exists', () => {
  expect(ROWS.length).toBeGreaterThan(300);
  const repeated = ROWS.map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index);
  expect(repeated).toEqual([]);
  const titles = new Map<string, string[]>();
  const wrong = ROWS.flatMap(({ id, tests }) => {
    if (tests.length === 0) return [`${id} names no test`];
    return tests.flatMap(({ file, title }) => {
      if (!existsSync(join(ROOT, file))) return [`${id}: ${file} does not exist`];
      const known = titles.get(file) ?? titlesIn(join(ROOT, file)).map((found) => found.title);
      titles.set(file, known);
      const times = known.filter((one) => one === title).length;
      return times === 1 ? [] : [`${id}: ${file} has ${times} tests “${title}”`];
    });
  });
  expect(wrong).toEqual([]);
});

test('every operation has a row', () => {
  const told = new Set(ROWS.flatMap(quoted));
  expect(operations.map(({ name }) => name).filter((name) => !told.has(name))).toEqual([]);
});

test('every field of a request and a reply has a row', () => {
  const named = namedFields();
  const missing = (owner: string, fields: readonly string[]): string[] =>
    fields.filter((field) => !named.get(owner)?.has(field)).map((field) => `${owner}: ${field}`);
  expect([
    ...Object.entries(DOCUMENT.components.schemas).flatMap(([name, schema]) =>
      missing(name, fieldsOf(schema)),
    ),
    ...operations.flatMap(({ name, parameters }) => missing(name, parameters)),
  ]).toEqual([]);
});

test('every error has a row', () => {
  const told = ROWS.filter(({ section }) => section === 'Errors').map((row) => row.what);
  const missing = Object.entries(ERRORS).filter(
    ([name, { id, status }]) => !told.some((what) => what.startsWith(`\`${name}\` ${id}, ${status}`)),
  );
  expect(missing).toEqual([]);
});

test('every row has a break, whose text is in its file once, or a test that Stryker runs', () => {
  const broken = new Set(BREAKS.flatMap(({ rows }) => rows.map((row) => row.split('#')[0]!)));
  const unproven = ROWS.filter(
    ({ id, tests }) => !broken.has(id) && !tests.some(({ file }) => strykerRuns(file)),
  );
  expect(unproven.map(({ id }) => id)).toEqual([]);
  const ids = new Map(ROWS.map((row) => [row.id, row]));
  const wrong = BREAKS.flatMap(({ rows, file, find, replace }) => {
    const faults = rows.flatMap((name) => {
      const [id = '', number = '1'] = name.split('#');
      return ids.get(id)?.tests[Number(number) - 1] === undefined ? [`${name}: no such row or test`] : [];
    });
    const times = existsSync(join(ROOT, file))
      ? readFileSync(join(ROOT, file), 'utf8').split(find).length - 1
      : 0;
    if (times !== 1) faults.push(`${rows.join()}: its text is ${times} times in ${file}: ${find}`);
    if (find === replace) faults.push(`${rows.join()}: changes nothing`);
    return faults;
  });
  expect(wrong).toEqual([]);
});
