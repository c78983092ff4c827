import type { RoundReply } from '../contracts/gameround';
import { sendToRound, type CommandDependencies } from './shared';
import type { RoundCommand } from './types';

export async function voidGameRound(deps: CommandDependencies, request: RoundCommand): Promise<RoundReply> {
  return sendToRound(deps, request, { type: 'void', reason: 'voidGameRound' });
}
