import type { RoundReply } from '../contracts/gameround';
import { commandKey, sendToRound, type CommandDependencies } from './shared';
import type { RoundCommand } from './types';

export async function endGameRound(deps: CommandDependencies, request: RoundCommand): Promise<RoundReply> {
  return sendToRound(deps, request, { type: 'end', key: commandKey(request), reason: 'endGameRound' });
}
