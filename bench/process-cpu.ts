import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks per second. The same on every Linux of today. */
const TICKS = 100;

interface Used {
  parent: number;
  ms: number;
}

/**
 * CPU time that processes have used so far, in milliseconds. It includes their descendants: PostgreSQL has a process for
 * each connection. Processes that have ended are left out. Linux only.
 */
export async function cpuMsOf(pids: Record<string, number | undefined>): Promise<Record<string, number>> {
  const all = await allProcesses();
  const sum = (pid: number): number =>
    [...all].reduce(
      (ms, [child, { parent }]) => (parent === pid ? ms + sum(child) : ms),
      all.get(pid)?.ms ?? 0,
    );
  return Object.fromEntries(
    Object.entries(pids).flatMap(([name, pid]) =>
      pid !== undefined && all.has(pid) ? [[name, sum(pid)]] : [],
    ),
  );
}

async function allProcesses(): Promise<Map<number, Used>> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const used = await Promise.all(
    pids.map(async (pid): Promise<[number, Used][]> => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
      if (text === undefined) return [];
      // The name in parentheses may contain spaces. The parent is the 4th field. The 14th to the 17th are user and system
      // time, of the process and of its children that have ended.
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0);
      return [[pid, { parent: fields[1] ?? 0, ms: (ticks * 1_000) / TICKS }]];
    }),
  );
  return new Map(used.flat());
}
