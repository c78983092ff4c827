import { readFile } from 'node:fs/promises';

/** Clock ticks per second. The same on every Linux of today. */
const TICKS = 100;

/** CPU time that processes have used so far, in milliseconds. Processes that have ended are left out. Linux only. */
export async function cpuMsOf(pids: Record<string, number | undefined>): Promise<Record<string, number>> {
  const all = await Promise.all(
    Object.entries(pids).map(async ([name, pid]): Promise<[string, number][]> => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
      if (text === undefined) return [];
      // The name in parentheses may contain spaces. User and system time are the 14th and 15th field.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return [[name, ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS]];
    }),
  );
  return Object.fromEntries(all.flat());
}
