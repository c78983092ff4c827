import type { RoundReply } from '../domain/round/replies';

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

export function createWaitingCalls(): WaitingCalls {
  const waiting = new Map<string, (answer: RoundReply | 'ask') => void>();
  const local = new Set<string>();
  return {
    expect(call) {
      const answer = new Promise<RoundReply | 'ask'>((resolve) => waiting.set(call, resolve));
      return { answer, end: () => void waiting.delete(call) };
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
