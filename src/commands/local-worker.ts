import type { Client } from '@temporalio/client';
import type { RoundReply } from '../contracts/gameround';
import type { WaitingCalls } from '../contracts/waiting-calls';

/** The worker of this process, where it has one: commands are then answered by its activities, in memory. */
export interface LocalWorker {
  waitingCalls: WaitingCalls;
  /** Shares the worker's connection, so that a round's first task comes back with the start; undefined while none runs. */
  client?: Client;
  /** Default: 400. */
  askAfterMs?: number;
}

/** An answer usually comes within milliseconds; after this long the update asks for it. A worker elsewhere gives no sign. */
const ASK_AFTER_MS = 400;

/**
 * The activity's answer to a call, or the update's, whichever comes first. `send` makes the command durable and returns
 * whether the activity is likely to run here.
 */
export async function firstAnswer<T>(
  local: LocalWorker | undefined,
  { call, gameround }: { call: string; gameround: string },
  send: () => Promise<boolean>,
  ask: () => Promise<T>,
): Promise<T | RoundReply> {
  if (local === undefined) {
    await send();
    return ask();
  }
  const { answer, end } = local.waitingCalls.expect(call);
  let timer: NodeJS.Timeout | undefined;
  try {
    if (!(await send())) return await ask();
    const late = new Promise<'late'>(
      (resolve) => (timer = setTimeout(resolve, local.askAfterMs ?? ASK_AFTER_MS, 'late')),
    );
    const first = await Promise.race([answer, late]);
    if (first === 'ask') return await ask();
    if (first !== 'late') return first;
    local.waitingCalls.isElsewhere(gameround);
    const asking = ask();
    const answered = await Promise.race([answer, asking]);
    return answered === 'ask' ? await asking : answered;
  } finally {
    clearTimeout(timer);
    end();
  }
}
