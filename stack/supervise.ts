import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit, type Child } from './child';

export interface SuperviseOptions {
  /** The running process to look after. */
  readonly first: Child;
  /** Starts it anew; resolves when it can be used again. Given up when `signal` is. */
  readonly restart: (signal: AbortSignal) => Promise<Child>;
  readonly say: (line: string) => void;
  /** Called once when restarting has been of no use. */
  readonly onGivenUp: (reason: string) => void;
  readonly policy?: RestartPolicy;
}

export interface RestartPolicy {
  readonly maxInARow: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A process that ran this long was healthy: counting begins anew. */
  readonly healthyAfterMs: number;
}

export interface Supervised {
  stop(): Promise<void>;
}

const STANDARD: RestartPolicy = {
  maxInARow: 10,
  firstDelayMs: 500,
  maxDelayMs: 15_000,
  healthyAfterMs: 60_000,
};

/** Starts a process again whenever it dies unasked, a bounded number of times in a row, with growing pauses. */
export function supervise(options: SuperviseOptions): Supervised {
  const stopping = new AbortController();
  const state = { child: options.first };
  const watching = watch(options, state, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await state.child.stop();
      await watching; // which stops one that was started at that very moment
    },
  };
}

async function watch(options: SuperviseOptions, state: { child: Child }, signal: AbortSignal): Promise<void> {
  const { say, onGivenUp, policy = STANDARD } = options;
  let inARow = 0;
  for (;;) {
    const since = performance.now();
    const exit = await state.child.exited;
    if (signal.aborted) return;
    if (performance.now() - since > policy.healthyAfterMs) inARow = 0;
    const { name } = state.child;
    say(`${name} ended unexpectedly ${describeExit(exit)}. Its last lines:\n${indented(state.child.tail())}`);
    for (;;) {
      if (inARow >= policy.maxInARow)
        return onGivenUp(`${name} was started ${inARow} times and did not stay up`);
      const delayMs = Math.min(policy.firstDelayMs * 2 ** inARow, policy.maxDelayMs);
      inARow += 1;
      say(`${name}: starting it again in ${delayMs / 1000} s (${inARow} of at most ${policy.maxInARow})`);
      const next = await tryAgain(options, delayMs, signal);
      if (signal.aborted) return next?.stop();
      if (next === undefined) continue;
      state.child = next;
      say(`${name} runs again (process ${next.pid})`);
      break;
    }
  }
}

async function tryAgain(
  { restart, say }: SuperviseOptions,
  delayMs: number,
  signal: AbortSignal,
): Promise<Child | undefined> {
  try {
    await sleep(delayMs, undefined, { signal });
    return await restart(signal);
  } catch (error) {
    if (!signal.aborted) say(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function indented(lines: readonly string[]): string {
  return lines.length === 0 ? '  (none)' : lines.map((line) => `  | ${line}`).join('\n');
}
