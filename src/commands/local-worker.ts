import type { Client } from '@temporalio/client';
import type { RoundReply } from '../contracts/gameround';
import type { WaitingCalls } from '../contracts/waiting-calls';

/** The worker in the same process. Its activities answer commands in memory. */
export interface LocalWorker {
  waitingCalls: WaitingCalls;
  /** A client on the worker's connection, so that the start returns the round's first task. Undefined while no worker runs. */
  client?: Client;
  /** Default: 400. */
  askAfterMs?: number;
}

/** An answer usually arrives within milliseconds. After this time the caller asks by the update: another worker may have it. */
const ASK_AFTER_MS = 400;

/**
 * Returns the answer of the activity or of the update, whichever comes first. `send` makes the command durable and returns
 * whether the activity is likely to run in this process.
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
