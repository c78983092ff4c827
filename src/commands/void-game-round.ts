import type { RoundReply } from '../contracts/gameround';
import { sendToRound, type CommandDependencies } from './send-to-round';
import type { RoundRequest } from './types';

export async function voidGameRound(deps: CommandDependencies, request: RoundRequest): Promise<RoundReply> {
  return sendToRound(deps, request, { type: 'void', reason: 'voidGameRound' });
}
