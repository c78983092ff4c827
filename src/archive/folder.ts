import { randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Archive } from './types';

export function openFolder(folder: string, limitMs: number): Archive {
  const ask = oneAtATime(folder, limitMs);
  return {
    place: folder,
    has: (file) => ask(() => isThere(join(folder, file))),
    write: (file, bytes) => ask(() => writeWhole(join(folder, file), bytes)),
    read: (file) => ask(() => readFile(join(folder, file))),
    async *list(prefix) {
      // A whole archive may be large, so only the subfolder of the prefix is read.
      const under = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      for await (const name of filesIn(folder, under, ask)) if (name.startsWith(prefix)) yield name;
    },
  };
}

type Ask = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * A call to a network folder whose server is gone does not end, and blocks one of the four threads that Node also needs to look
 * up host names. So at most one call runs. If it lasts too long, it and all further calls reject until it has ended.
 */
function oneAtATime(folder: string, limitMs: number): Ask {
  let before: Promise<unknown> = Promise.resolve();
  let isHanging = false;
  const refusal = (): Error => new Error(`${folder} does not respond`);

  async function limited<T>(call: () => Promise<T>): Promise<T> {
    if (isHanging) throw refusal();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        isHanging = true;
        reject(refusal());
      }, limitMs);
      const ended = (): void => {
        clearTimeout(timer);
        isHanging = false;
      };
      call().finally(ended).then(resolve, reject);
    });
  }

  return (call) => {
    const turn = before.then(() => limited(call));
    before = Promise.allSettled([turn]);
    return turn;
  };
}

/** Each write has its own file aside, since two processes may write the same one. A crash leaves only that. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await makeFolder(dirname(path));
  const aside = join(dirname(path), `${randomUUID()}.part`);
  try {
    const target = await open(aside, 'wx', 0o600);
    try {
      await target.writeFile(bytes);
      await target.sync();
    } finally {
      await target.close();
    }
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  // The name is stored only with its folder.
  const parent = await open(dirname(path), 'r');
  await parent.sync().finally(() => parent.close());
}

/** Node's own way to make the folders above, too, never ends for a folder such as /proc/x. */
export async function makeFolder(folder: string): Promise<void> {
  if (!(await isThere(dirname(folder)))) await makeFolder(dirname(folder));
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => notThere(error, false),
  );
}

/** One subfolder after another, so that few names are in memory. */
async function* filesIn(folder: string, under: string, ask: Ask): AsyncIterable<string> {
  const read = (): Promise<Dirent[]> => readdir(join(folder, under), { withFileTypes: true });
  const entries = await ask(read).catch((error: NodeJS.ErrnoException) => notThere<Dirent[]>(error, []));
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = under + entry.name;
    const isFile = async (): Promise<boolean> => (await ask(() => stat(join(folder, name)))).isFile();
    if (entry.isDirectory()) yield* filesIn(folder, `${name}/`, ask);
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile()))) yield name;
    // A pipe never ends, and a link may lead to its own folder.
    else throw new Error(`${join(folder, name)} is no file`);
  }
}

function notThere<T>(error: NodeJS.ErrnoException, value: T): T {
  if (error.code === 'ENOENT') return value;
  throw error;
}
