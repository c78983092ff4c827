import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit, type Child } from './child';

export interface SuperviseOptions {
  /** The running process to supervise. */
  readonly first: Child;
  /** Starts the process again. Resolves when it can be used. Rejects if `signal` is aborted. */
  readonly restart: (signal: AbortSignal) => Promise<Child>;
  readonly say: (line: string) => void;
  /** Called once, when the process was restarted too often. */
  readonly onGivenUp: (reason: string) => void;
  readonly policy?: RestartPolicy;
}

export interface RestartPolicy {
  readonly maxInARow: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** After a run of this length the process counts as healthy, and the count of restarts begins again. */
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

/** Restarts a process each time it ends unexpectedly: at most `maxInARow` times in a row, after growing pauses. */
export function supervise(options: SuperviseOptions): Supervised {
  const stopping = new AbortController();
  const state = { child: options.first };
  const watching = watch(options, state, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await state.child.stop();
      await watching; // stops a process that is being restarted now
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
