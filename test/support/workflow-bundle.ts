import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { projectRoot } from '../../stack/paths';
import { bundleCode, type FailuresKind } from '../../worker/bundle';

/** The sources of the workflow bundle. package-lock.json stands for the libraries. */
const SOURCES = [
  'workflows',
  'src/contracts',
  'src/domain',
  'src/payloads',
  'worker/bundle.ts',
  'proof/told.ts',
  'package-lock.json',
];

/**
 * Bundles the workflows into one file and returns its path. Does this once for each state of the sources, since it takes
 * seconds.
 * @param tree the folder with the sources
 * @param use `replay`: also reports what a replayed workflow does (proof/told.ts)
 */
export async function workflowBundle(
  failures: FailuresKind = 'plain',
  tree = projectRoot(),
  use: 'worker' | 'replay' = 'worker',
): Promise<string> {
  const cache = join(projectRoot(), 'node_modules', '.cache', 'workflow-bundles');
  const file = join(cache, `${await hashOfSources(tree)}-${failures}-${use}.js`);
  if (!existsSync(file)) {
    const logger = new DefaultLogger('ERROR');
    const more = use === 'replay' ? [join(projectRoot(), 'proof', 'told')] : [];
    const code = await bundleCode(join(tree, 'workflows', 'index.ts'), failures, logger, more);
    await mkdir(cache, { recursive: true });
    // The rename makes the file appear complete, since another process may look for it.
    await writeFile(`${file}.${process.pid}`, code);
    await rename(`${file}.${process.pid}`, file);
  }
  return file;
}

async function hashOfSources(tree: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of await filesUnder(join(tree, source))) hash.update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 24);
}

async function filesUnder(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path];
    throw error;
  }
}
