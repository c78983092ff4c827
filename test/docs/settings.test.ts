import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, textOf } from './pages';

/* docs/configuration.md names every setting that the service and `npm start` read. */

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

it.each(['src/config.ts', 'stack/config.ts'])('names every setting of %s', (file) => {
  const settings = [...read(file).matchAll(/^ {2,4}([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name);
  expect(settings.length).toBeGreaterThan(8);
  const named = [...textOf('docs/configuration.md').matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name);
  expect(settings.filter((name) => !named.includes(name))).toEqual([]);
});

it('names no variable that nobody reads', () => {
  const named = [...textOf('docs/configuration.md').matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name),
  );
  const code = ['src/config.ts', 'stack/config.ts', 'stack/binaries.ts'].map(read).join('\n');
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !code.includes(name))).toEqual([]);
});
