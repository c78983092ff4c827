import type { RoundReply } from '../contracts/gameround';
import { commandKey, sendToRound, type CommandDependencies } from './send-to-round';
import type { AddSpinCounter } from './types';

export async function addSpinCounterGameState(
  deps: CommandDependencies,
  request: AddSpinCounter,
): Promise<RoundReply> {
  const { counterType, awarded, used, gameStateResult } = request;
  const key = commandKey(request);
  return sendToRound(deps, request, {
    type: 'addSpinCounter',
    key,
    counterType,
    awarded,
    used,
    gameStateResult,
  });
}
