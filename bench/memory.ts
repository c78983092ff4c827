import { readFile } from 'node:fs/promises';
import type { E2eStack, Part } from '../test/support/e2e-stack';

/** Resident memory of processes over time. Linux only. */
export class MemorySamples {
  readonly #samples: { atMs: number; mib: Partial<Record<Part, number>> }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly stack: Pick<E2eStack, 'pid'>,
    private readonly parts: readonly Part[],
    everyMs = 1_000,
  ) {
    this.#timer = setInterval(() => void this.#sample(), everyMs);
  }

  async #sample(): Promise<void> {
    const mib: Partial<Record<Part, number>> = {};
    for (const part of this.parts) {
      const pid = this.stack.pid(part);
      const resident = pid === undefined ? undefined : await residentMib(pid).catch(() => undefined);
      if (resident !== undefined) mib[part] = resident;
    }
    this.#samples.push({ atMs: Date.now(), mib });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The highest memory in MiB during a part of the time. `from` and `to` are shares of the time, 0 to 1. */
  highest(part: Part, from: number, to: number): number {
    const { length } = this.#samples;
    const some = this.#samples.slice(Math.floor(from * length), Math.ceil(to * length));
    return Math.round(Math.max(0, ...some.map(({ mib }) => mib[part] ?? 0)));
  }
}

export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
}
