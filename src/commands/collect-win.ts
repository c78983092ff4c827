import type { RoundReply } from '../contracts/gameround';
import { commandKey, sendToRound, type CommandDependencies } from './send-to-round';
import type { CollectWin } from './types';

export async function collectWin(deps: CommandDependencies, request: CollectWin): Promise<RoundReply> {
  return sendToRound(deps, request, { type: 'collectWin', key: commandKey(request), amount: request.amount });
}
