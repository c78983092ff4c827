import { activityInfo, CompleteAsyncError } from '@temporalio/activity';
import type { WaitingCalls } from '../src/contracts/waiting-calls';
import type { RoundReply } from '../src/domain/round/replies';
import { goOnWith } from './failures';

export interface AnswerDependencies {
  waitingCalls: WaitingCalls;
  /** Completes an activity by its task token. Rejects if the server does not accept it. */
  complete: (taskToken: Uint8Array, result: unknown) => Promise<void>;
}

/**
 * Completes the activity and answers the calls that wait in this process. It answers only after the server has accepted the
 * activity's result: then the answer is in the round's history, and no other attempt can produce another one.
 */
export async function endWithAnswer<T>(
  { waitingCalls, complete }: AnswerDependencies,
  result: T,
  calls: readonly string[],
  reply: () => RoundReply,
): Promise<T> {
  const here = calls.filter((call) => waitingCalls.isExpected(call));
  if (here.length === 0) return result;
  const isAccepted = await complete(activityInfo().taskToken, result).then(
    () => true,
    goOnWith(false, 'the server did not accept the result; it is reported again'),
  );
  // The SDK reports the result again, and the callers get their answer from the update.
  if (!isAccepted) return result;
  for (const call of here) waitingCalls.answer(call, reply());
  throw new CompleteAsyncError();
}
