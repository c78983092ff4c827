import type { Client } from '@temporalio/client';
import type { RoundReply } from '../contracts/gameround';
import type { Guards } from '../contracts/guards';
import type { WaitingCalls } from '../contracts/waiting-calls';

/** The worker in the same process. Its activities answer commands in memory. */
export interface LocalWorker {
  waitingCalls: WaitingCalls;
  guards: Pick<Guards, 'confirm'>;
  /** A client on the worker's connection, so that the start returns the round's first task. Undefined while no worker runs. */
  client?: Client | undefined;
  /** Overrides askAfter, for tests. */
  askAfterMs?: number | undefined;
  /** The time that answers of this process take: a moving average. */
  usualMs?: number | undefined;
}

/** Bounds of the time after which a caller asks by the update. */
const ASK_AFTER_LEAST_MS = 400;
const ASK_AFTER_MOST_MS = 3_000;
/** Answers that take so many times the usual are not expected any more: another worker may have the round. */
const TIMES_USUAL = 3;
/** The weight of the newest answer in the average. */
const NEWEST = 0.1;

/**
 * After this time a caller asks by the update, since another worker may have the round. A busy process takes longer for
 * its own answers. Updates that are not needed would then make it slower still.
 */
export function askAfter({ askAfterMs, usualMs = 0 }: Pick<LocalWorker, 'askAfterMs' | 'usualMs'>): number {
  return askAfterMs ?? Math.min(Math.max(TIMES_USUAL * usualMs, ASK_AFTER_LEAST_MS), ASK_AFTER_MOST_MS);
}

/**
 * Returns the answer of the activity or of the update, whichever comes first. `send` makes the command durable and returns
 * whether the activity is likely to run in this process.
 */
export async function firstAnswer<T>(
  local: Omit<LocalWorker, 'guards'> | undefined,
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
    const sentAt = performance.now();
    const answeredHere = (reply: RoundReply): RoundReply => {
      const { usualMs = 0 } = local;
      local.usualMs = usualMs + NEWEST * (performance.now() - sentAt - usualMs);
      return reply;
    };
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, askAfter(local), 'late')));
    const first = await Promise.race([answer, late]);
    if (first === 'ask') return await ask();
    if (first !== 'late') return answeredHere(first);
    local.waitingCalls.isElsewhere(gameround);
    const asking = ask().then((reply) => ({ reply }));
    const answered = await Promise.race([answer, asking]);
    if (answered === 'ask') return (await asking).reply;
    return 'reply' in answered ? answered.reply : answeredHere(answered);
  } finally {
    clearTimeout(timer);
    end();
  }
}
