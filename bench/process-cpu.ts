import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

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

const QUIET_WINDOW_MS = 250;
/** A part of one core. */
const QUIET_SHARE = 0.1;
const QUIET_TIMEOUT_MS = 5_000;

/** Waits until the processes use little CPU: servers still work on a round after its answer. At most five seconds. */
export async function untilQuiet(pids: Record<string, number | undefined>): Promise<void> {
  const usedMs = async (): Promise<number> =>
    Object.values(await cpuMsOf(pids)).reduce((sum, ms) => sum + ms, 0);
  const began = performance.now();
  for (let before = await usedMs(); performance.now() - began < QUIET_TIMEOUT_MS;) {
    await sleep(QUIET_WINDOW_MS);
    const after = await usedMs();
    if (after - before < QUIET_SHARE * QUIET_WINDOW_MS) return;
    before = after;
  }
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
