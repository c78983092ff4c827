import type { RoundReply } from '../domain/round/replies';
import type { MonotonicClock } from '../domain/time';
import type { Confirmed } from './guards';

/**
 * The calls of this process that wait for their command's answer. The activity that finishes a command passes the answer in
 * memory if the call waits in the same process. All other calls get their answer from the update.
 */
export interface WaitingCalls {
  /**
   * Starts to wait for a call's answer. It resolves to the reply, or to `ask` if no activity delivers the answer; then the
   * caller fetches it by the update. Always call `end`, with or without an answer.
   */
  expect(call: string): { answer: Promise<RoundReply | 'ask'>; end: () => void };
  /** Notes that the guard of a start is being confirmed, while the round's first task runs. */
  confirming(call: string, confirmed: Promise<Confirmed>): void;
  /**
   * The confirmation for the bet's first attempt. Undefined if none was begun here, or not a moment ago: then another
   * attempt may have been made since, and this one must confirm the guard itself.
   */
  confirmed(calls: readonly string[]): Promise<Confirmed> | undefined;
  /** Passes the reply to those of the calls that wait here. The command's record must be written before. */
  answer(calls: readonly string[], reply: () => RoundReply): void;
  /** Tells the call that no activity delivers its answer. */
  askNow: (call: string) => void;
  /** Whether a command of this round was answered in this process before. Then the next one likely is, too. */
  isLocal(gameround: string): boolean;
  /** Notes that a command of this round was not answered in this process in time. */
  isElsewhere(gameround: string): void;
}

const MAX_LOCAL_ROUNDS = 10_000;
/** Well below the time after which a worker without heartbeats counts as dead (workflows/policies.ts). */
const A_MOMENT_MS = 1_000;

export function createWaitingCalls(monotonicNow: MonotonicClock = () => performance.now()): WaitingCalls {
  const waiting = new Map<string, (answer: RoundReply | 'ask') => void>();
  const confirming = new Map<string, { confirmed: Promise<Confirmed>; begunAt: number }>();
  const local = new Set<string>();
  return {
    expect(call) {
      const answer = new Promise<RoundReply | 'ask'>((resolve) => waiting.set(call, resolve));
      const end = (): void => {
        waiting.delete(call);
        confirming.delete(call);
      };
      return { answer, end };
    },
    confirming(call, confirmed) {
      if (!waiting.has(call)) return;
      // The activity reports the error, if it comes to use the confirmation.
      confirmed.catch(() => undefined);
      confirming.set(call, { confirmed, begunAt: monotonicNow() });
    },
    confirmed(calls) {
      const known = calls.flatMap((call) => confirming.get(call) ?? []).at(0);
      return known && monotonicNow() - known.begunAt < A_MOMENT_MS ? known.confirmed : undefined;
    },
    answer(calls, replyOf) {
      const here = calls.flatMap((call) => waiting.get(call) ?? []);
      if (here.length === 0) return;
      const reply = replyOf();
      const { hash } = reply.gameRoundInfo;
      local.delete(hash);
      local.add(hash);
      for (const oldest of local) {
        if (local.size <= MAX_LOCAL_ROUNDS) break;
        local.delete(oldest);
      }
      for (const resolve of here) resolve(reply);
    },
    askNow: (call) => waiting.get(call)?.('ask'),
    isLocal: (gameround) => local.has(gameround),
    isElsewhere: (gameround) => void local.delete(gameround),
  };
}
