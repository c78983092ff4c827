import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit, type Child } from './child';

export interface UntilOptions {
  readonly what: string;
  readonly timeoutMs: number;
  readonly everyMs?: number;
  /** The process to wait for. Its end stops the attempts, and errors contain its last log lines. */
  readonly child?: Child;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats `attempt` until it resolves. Rejects with the reason when the child has ended, or at the timeout. */
export async function until<T>(attempt: () => Promise<T>, options: UntilOptions): Promise<T> {
  const { what, timeoutMs, everyMs = 100, child, signal } = options;
  const deadline = performance.now() + timeoutMs;
  let exit: string | undefined;
  void child?.exited.then((how) => (exit = describeExit(how)));
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (exit !== undefined)
        throw new Error(`${what}: the process ended ${exit}${quote(child)}`, { cause: error });
      if (performance.now() > deadline) {
        const last = error instanceof Error ? error.message : String(error);
        throw new Error(`${what}: not available within ${timeoutMs / 1000} s (${last})${quote(child)}`, {
          cause: error,
        });
      }
    }
    await sleep(everyMs, undefined, { signal });
  }
}

function quote(child: Child | undefined): string {
  const lines = child?.tail() ?? [];
  return child && lines.length > 0 ? `; last lines of ${child.logFile}:\n  ${lines.join('\n  ')}` : '';
}
