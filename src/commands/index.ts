import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../contracts/gameround';
import { addSpinCounterGameState } from './add-spin-counter';
import { addWin } from './add-win';
import { collectWin } from './collect-win';
import { describeRound } from './describe-round';
import { endGameRound } from './end-game-round';
import type { LocalWorker } from './local-worker';
import type { CommandPorts } from './ports';
import { createRoundClient } from './round-client';
import { startGameRound } from './start-game-round';
import type { RoundService } from './types';
import { voidGameRound } from './void-game-round';

export interface CommandOptions {
  /** Milliseconds since the epoch, for the time of a new round. */
  nowMs?: () => number;
  taskQueue?: string;
  /** Set if the worker runs in the same process. */
  local?: LocalWorker;
}

export function createCommands(
  client: Client,
  ports: CommandPorts,
  { nowMs = Date.now, taskQueue = TASK_QUEUE, local }: CommandOptions = {},
): RoundService {
  const deps = { rounds: createRoundClient(client, taskQueue, local), ports, nowMs };
  return {
    startGameRound: (request) => startGameRound(deps, request),
    addWin: (request) => addWin(deps, request),
    endGameRound: (request) => endGameRound(deps, request),
    collectWin: (request) => collectWin(deps, request),
    voidGameRound: (request) => voidGameRound(deps, request),
    addSpinCounterGameState: (request) => addSpinCounterGameState(deps, request),
    describeRound: (gameround) => describeRound(deps, gameround),
  };
}
