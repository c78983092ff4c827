import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../stack/paths';

/** A change of the sources by text. `find` has to be in the file exactly once. */
export interface Change {
  file: string;
  find: string;
  replace: string;
}

/** Makes the change in a copy of the sources. Returns a function that undoes it. Throws if `find` is not there once. */
export async function makeChange(
  tree: string,
  { file, find, replace }: Change,
): Promise<() => Promise<void>> {
  const path = join(tree, file);
  const before = await readFile(path, 'utf8');
  const parts = before.split(find);
  if (parts.length !== 2)
    throw new Error(
      `${file}: the text to change is there ${parts.length - 1} times instead of once:\n${find}`,
    );
  await writeFile(path, parts.join(replace));
  return () => writeFile(path, before);
}

/** Copies the project's files, with uncommitted changes, into a new folder. Libraries and server binaries are linked. */
export async function copyOfProject(): Promise<string> {
  const root = projectRoot();
  const copy = await mkdtemp(join(tmpdir(), 'gameround-changed-'));
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root });
  for (const file of listed.toString().split('\0')) {
    if (file !== '' && existsSync(join(root, file))) {
      await cp(join(root, file), join(copy, file), { recursive: true });
    }
  }
  // node_modules is a folder of links without .cache, so that changed code does not use our compiled files in there.
  await mkdir(join(copy, 'node_modules'));
  for (const entry of await readdir(join(root, 'node_modules'))) {
    if (entry !== '.cache') {
      await symlink(join(root, 'node_modules', entry), join(copy, 'node_modules', entry));
    }
  }
  if (existsSync(join(root, '.cache'))) await symlink(join(root, '.cache'), join(copy, '.cache'));
  return copy;
}
