import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../stack/paths';
import { makeChange, type Change } from '../test/support/changed-project';
import { compiledService } from '../test/support/e2e-build';

const SOURCES = [
  ...['src', 'workflows', 'activities', 'worker', 'proof', 'stack'],
  ...['package.json', 'package-lock.json'],
];

/**
 * New workflow code, as a deploy brings it: one more step in every command of a round, and one at the round's end. Each
 * step is behind `patched`, with one id for each place in a round's history, as docs/operations.md asks for.
 */
export const NEXT_WORKFLOWS: readonly Change[] = [
  {
    file: 'workflows/gameround/index.ts',
    find: `  log,
  setHandler,`,
    replace: `  log,
  patched,
  setHandler,
  sleep,`,
  },
  {
    file: 'workflows/gameround/index.ts',
    find: `async function carryOut(parts: Parts, item: QueuedCommand): Promise<void> {
`,
    replace: `async function carryOut(parts: Parts, item: QueuedCommand): Promise<void> {
  if (patched('chaos ' + item.key)) await sleep(1);
`,
  },
  {
    file: 'workflows/gameround/index.ts',
    find: `  }
  await condition(allHandlersFinished);
}
`,
    replace: `  }
  if (patched('chaos end')) await sleep(1);
  await condition(allHandlersFinished);
}
`,
  },
];

/** Compiles the service with these changes. Returns the folder of the compiled service, like `dist`. */
export async function compiledWith(changes: readonly Change[]): Promise<string> {
  if (changes.length === 0) return compiledService();
  const tree = await treeWith(changes);
  try {
    return await compiledService(tree);
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

/** A changed copy of the sources. It is inside the project, since Node looks for modules in the parent folders. */
async function treeWith(changes: readonly Change[]): Promise<string> {
  const root = projectRoot();
  const cache = join(root, '.cache');
  await mkdir(cache, { recursive: true });
  const tree = await mkdtemp(join(cache, 'chaos-sources-'));
  for (const source of SOURCES) await cp(join(root, source), join(tree, source), { recursive: true });
  for (const change of changes) await makeChange(tree, change);
  return tree;
}
