import { transformSync } from '@swc/core';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from '../../stack/paths';

/** Text to replace by file, and what stands there instead. */
export type Patches = Record<string, readonly (readonly [from: string, to: string])[]>;

const ROOT = projectRoot();
const compiled = new Map<string, string>();

/** A module of the project with its imports, as it would be with these changes in its sources. */
export function loadPatched<Module>(path: string, patches: Patches): Module {
  const modules = new Map<string, { exports: unknown }>();
  const unused = new Set(Object.keys(patches));
  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const loaded = { exports: {} };
    modules.set(file, loaded);
    const name = relative(ROOT, file);
    unused.delete(name);
    const code = codeOf(file, patches[name] ?? []);
    const resolve = (wanted: string): unknown =>
      wanted.startsWith('.') ? load(fileOf(join(dirname(file), wanted))) : jest.requireActual(wanted);
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- our own sources
    new Function('require', 'module', 'exports', '__dirname', code)(
      resolve,
      loaded,
      loaded.exports,
      dirname(file),
    );
    return loaded.exports;
  };
  const main = load(join(ROOT, path)) as Module;
  if (unused.size > 0) throw new Error(`not loaded: ${[...unused].join(', ')}`);
  return main;
}

function fileOf(path: string): string {
  const found = [path, `${path}.ts`, join(path, 'index.ts')].find(
    (one) => /\.\w+$/.test(one) && existsSync(one),
  );
  if (found === undefined) throw new Error(`no module ${path}`);
  return found;
}

function codeOf(file: string, patches: Patches[string]): string {
  const key = `${file} ${JSON.stringify(patches)}`;
  const code = compiled.get(key) ?? compile(file, patches);
  compiled.set(key, code);
  return code;
}

function compile(file: string, patches: Patches[string]): string {
  let text = readFileSync(file, 'utf8');
  if (file.endsWith('.json')) return `module.exports = ${text}`;
  for (const [from, to] of patches) {
    if (text.split(from).length !== 2) throw new Error(`not once in ${file}: ${from}`);
    text = text.replace(from, () => to);
  }
  return transformSync(text, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  }).code;
}
