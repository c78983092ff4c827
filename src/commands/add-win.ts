import type { RoundReply } from '../contracts/gameround';
import { commandKey, sendToRound, type CommandDependencies } from './send-to-round';
import type { AddWin } from './types';

export async function addWin(deps: CommandDependencies, request: AddWin): Promise<RoundReply> {
  const { rngResult, collect, jackpotPayout } = request;
  return sendToRound(deps, request, {
    type: 'addWin',
    key: commandKey({ ...request, rngCallId: rngResult.rngCallId }),
    winAmount: rngResult.winAmount ?? 0,
    collect,
    rngCallId: rngResult.rngCallId,
    result: rngResult.result,
    betData: rngResult.betData,
    jackpotPayout,
  });
}
