import { activityInfo, CompleteAsyncError } from '@temporalio/activity';
import type { WaitingCalls } from '../src/contracts/waiting-calls';
import type { RoundReply } from '../src/domain/round/replies';

export interface AnswerDependencies {
  waitingCalls: WaitingCalls;
  /** Completes an activity by its task token; rejects where the server does not take it. */
  complete: (taskToken: Uint8Array, result: unknown) => Promise<void>;
}

/**
 * Ends the activity and answers the calls that wait in this process. A call is answered only after the server has taken
 * the activity's result: from then on the answer is in the round's history, and no other attempt can come to another.
 */
export async function endWithAnswer<T>(
  { waitingCalls, complete }: AnswerDependencies,
  result: T,
  calls: readonly string[],
  reply: () => RoundReply,
): Promise<T> {
  const here = calls.filter((call) => waitingCalls.isExpected(call));
  if (here.length === 0) return result;
  try {
    await complete(activityInfo().taskToken, result);
  } catch {
    // The SDK reports the result once more, and the update answers.
    return result;
  }
  for (const call of here) waitingCalls.answer(call, reply());
  throw new CompleteAsyncError();
}
