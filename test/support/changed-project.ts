import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../stack/paths';

/** A change of the sources by text; `find` has to stand in the file exactly once. */
export interface Change {
  file: string;
  find: string;
  replace: string;
}

/** Makes the change in a copy of the sources; answers what takes it back. */
export async function makeChange(
  tree: string,
  { file, find, replace }: Change,
): Promise<() => Promise<void>> {
  const path = join(tree, file);
  const before = await readFile(path, 'utf8');
  const parts = before.split(find);
  if (parts.length !== 2)
    throw new Error(`${file}: what is to be changed stands there ${parts.length - 1} times:\n${find}`);
  await writeFile(path, parts.join(replace));
  return () => writeFile(path, before);
}

/** The project's files as they stand, in a folder of their own; libraries and server binaries are linked. */
export async function copyOfProject(): Promise<string> {
  const root = projectRoot();
  const copy = await mkdtemp(join(tmpdir(), 'gameround-changed-'));
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root });
  for (const file of listed.toString().split('\0')) {
    if (file !== '' && existsSync(join(root, file))) {
      await cp(join(root, file), join(copy, file), { recursive: true });
    }
  }
  // A folder of links, since what the tests compile is kept in node_modules/.cache: changed code has none of ours.
  await mkdir(join(copy, 'node_modules'));
  for (const entry of await readdir(join(root, 'node_modules'))) {
    if (entry !== '.cache') {
      await symlink(join(root, 'node_modules', entry), join(copy, 'node_modules', entry));
    }
  }
  if (existsSync(join(root, '.cache'))) await symlink(join(root, '.cache'), join(copy, '.cache'));
  return copy;
}
