import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder with our package.json, whether this runs from `dist/stack` or, in tests, from `stack`. */
export function projectRoot(from: string = __dirname): string {
  let dir = from;
  while (!existsSync(join(dir, 'package.json'))) {
    const parent = dirname(dir);
    if (parent === dir) throw new Error(`no package.json above ${from}`);
    dir = parent;
  }
  return dir;
}
