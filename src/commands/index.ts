import type { Client } from '@temporalio/client';
import { TASK_QUEUE, type RoundReply } from '../contracts/gameround';
import type { Command } from '../domain/round/types';
import { withinCallTime } from './deadline';
import { describeRound } from './describe-round';
import type { LocalWorker } from './local-worker';
import type { CommandPorts } from './ports';
import { createRoundClient } from './round-client';
import { sendToRound } from './send-to-round';
import { startGameRound } from './start-game-round';
import { toCommand } from './to-command';
import type { RoundRequest, RoundService } from './types';

export interface CommandOptions {
  /** Milliseconds since the epoch, for the time of a new round. */
  nowMs?: () => number;
  taskQueue?: string;
  /** Set if the worker runs in the same process. */
  local?: LocalWorker | undefined;
}

export function createCommands(
  client: Client,
  ports: CommandPorts,
  { nowMs = Date.now, taskQueue = TASK_QUEUE, local }: CommandOptions = {},
): RoundService {
  const deps = { rounds: createRoundClient(client, taskQueue, local), ports, nowMs };
  const onRound =
    <Request extends RoundRequest>(command: (request: Request) => Command) =>
    (request: Request): Promise<RoundReply> =>
      withinCallTime(() => sendToRound(deps, request, command(request)));
  return {
    startGameRound: (request) => withinCallTime(() => startGameRound(deps, request)),
    addWin: onRound(toCommand.addWin),
    endGameRound: onRound(toCommand.endGameRound),
    collectWin: onRound(toCommand.collectWin),
    voidGameRound: onRound(toCommand.voidGameRound),
    addSpinCounterGameState: onRound(toCommand.addSpinCounterGameState),
    describeRound: (gameround) => withinCallTime(() => describeRound(deps, gameround)),
  };
}
