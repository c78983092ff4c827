import { access, mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Archive } from './types';

export function openFolder(folder: string): Archive {
  return {
    place: folder,
    has: (file) =>
      access(join(folder, file)).then(
        () => true,
        (error: NodeJS.ErrnoException) => notThere(error, false),
      ),
    async write(file, bytes) {
      const path = join(folder, file);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const aside = `${path}.${process.pid}.part`;
      const target = await open(aside, 'w', 0o600);
      try {
        await target.writeFile(bytes);
        await target.sync();
      } finally {
        await target.close();
      }
      await rename(aside, path);
      // The name is stored only with its folder.
      const parent = await open(dirname(path), 'r');
      await parent.sync().finally(() => parent.close());
    },
    read: (file) => readFile(join(folder, file)),
    async *list(prefix) {
      // A whole archive may be large, so only the subfolder of the prefix is read.
      for await (const name of filesIn(folder, prefix.slice(0, prefix.lastIndexOf('/') + 1)))
        if (name.startsWith(prefix)) yield name;
    },
  };
}

/** One subfolder after another, so that few names are in memory. */
async function* filesIn(folder: string, under: string): AsyncIterable<string> {
  const entries = await readdir(join(folder, under), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => notThere<Dirent[]>(error, []),
  );
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = under + entry.name;
    if (entry.isDirectory()) yield* filesIn(folder, `${name}/`);
    else yield name;
  }
}

function notThere<T>(error: NodeJS.ErrnoException, value: T): T {
  if (error.code === 'ENOENT') return value;
  throw error;
}
