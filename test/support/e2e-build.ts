import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import { projectRoot } from '../../stack/paths';
import { workflowBundle } from './workflow-bundle';

/** The source folders of the API and worker processes. The workflows are bundled separately. */
const SOURCES = ['src', 'activities', 'worker', 'stack'];
const KEPT_MS = 24 * 3_600_000;

/**
 * Compiles the service to JavaScript, so that its processes start as fast as in production. Does this once for each
 * state of the sources, without `npm run build`. The result is inside the project, since Node looks for modules in the
 * parent folders. Returns the folder of the compiled service, like `dist`.
 * @param tree the folder with the sources
 */
export async function compiledService(tree = projectRoot()): Promise<string> {
  const cache = join(projectRoot(), 'node_modules', '.cache', 'e2e-service');
  await mkdir(cache, { recursive: true });
  const files = await sourceFiles(tree);
  const bundles = {
    plain: await workflowBundle('plain', tree),
    encoded: await workflowBundle('encoded', tree),
  };
  const dir = join(cache, await hashOfSources(tree, [...files, __filename], basename(bundles.plain)));
  if (!existsSync(dir)) {
    await removeOld(cache);
    const aside = await mkdtemp(`${dir}.part-`);
    await compile(tree, files, aside);
    await copyFile(bundles.plain, join(aside, 'worker', 'workflow-bundle.js'));
    await copyFile(bundles.encoded, join(aside, 'worker', 'workflow-bundle-encoded.js'));
    // The rename makes the folder appear complete. If another process was faster, its folder has the same content.
    await rename(aside, dir).catch(() => rm(aside, { recursive: true, force: true }));
  }
  const now = new Date();
  await utimes(dir, now, now);
  return dir;
}

async function sourceFiles(tree: string): Promise<string[]> {
  const folders = await Promise.all(
    SOURCES.map((source) => readdir(join(tree, source), { recursive: true, withFileTypes: true })),
  );
  return folders
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function hashOfSources(tree: string, files: readonly string[], more: string): Promise<string> {
  const hash = createHash('sha256').update(more);
  for (const file of files) hash.update(relative(tree, file)).update(await readFile(file));
  return hash.digest('hex').slice(0, 24);
}

async function compile(tree: string, files: readonly string[], dir: string): Promise<void> {
  for (const file of files) {
    const target = join(dir, relative(tree, file).replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    if (!file.endsWith('.ts')) {
      await copyFile(file, target);
      continue;
    }
    const { code } = await transformFile(file, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs', ignoreDynamic: true },
      sourceMaps: 'inline',
    });
    await writeFile(target, code);
  }
}

async function removeOld(cache: string): Promise<void> {
  for (const entry of await readdir(cache)) {
    const path = join(cache, entry);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}
