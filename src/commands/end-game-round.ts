import type { RoundReply } from '../contracts/gameround';
import { commandKey, sendToRound, type CommandDependencies } from './send-to-round';
import type { RoundRequest } from './types';

export async function endGameRound(deps: CommandDependencies, request: RoundRequest): Promise<RoundReply> {
  return sendToRound(deps, request, { type: 'end', key: commandKey(request), reason: 'endGameRound' });
}
