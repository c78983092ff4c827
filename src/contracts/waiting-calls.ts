import type { RoundReply } from '../domain/round/replies';

/**
 * The calls of this process that wait for their command's answer. The activity that ends a command hands the answer
 * over in memory when the call waits in its own process; all other calls are answered by the update.
 */
export interface WaitingCalls {
  /**
   * Begins to wait for a call's answer: the reply, or `ask` when the round has answered without an activity, so that the
   * update has to fetch it. `end` has to be called, whether the answer came or not.
   */
  expect(call: string): { answer: Promise<RoundReply | 'ask'>; end: () => void };
  isExpected(call: string): boolean;
  answer(call: string, reply: RoundReply): void;
  /** The round has answered this call without an activity. */
  askNow: (call: string) => void;
  /** Whether a command of this round was answered here before: the next one is likely to be, too. */
  isLocal(gameround: string): boolean;
  /** A command of this round was not answered here in time. */
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
    isExpected: (call) => waiting.has(call),
    answer(call, reply) {
      const { hash } = reply.gameRoundInfo;
      local.delete(hash);
      local.add(hash);
      for (const oldest of local) {
        if (local.size <= MAX_LOCAL_ROUNDS) break;
        local.delete(oldest);
      }
      waiting.get(call)?.(reply);
    },
    askNow: (call) => waiting.get(call)?.('ask'),
    isLocal: (gameround) => local.has(gameround),
    isElsewhere: (gameround) => void local.delete(gameround),
  };
}
