import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import {
  addSpinCounterSignal,
  addSpinCounterUpdate,
  addWinSignal,
  addWinUpdate,
  collectWinSignal,
  collectWinUpdate,
  endSignal,
  endUpdate,
  settleSignal,
  settleUpdate,
  startSignal,
  startUpdate,
  voidSignal,
  voidUpdate,
  type Actor,
  type Look,
  type RoundReply,
} from '../contracts/gameround';
import type { Command } from '../domain/round/types';

interface CommandDefinitions {
  command: Command;
  signal: SignalDefinition<[Command, Actor?, string?]>;
  update: UpdateDefinition<RoundReply, [Command, Actor?, string?, Look?]>;
}

const BY_TYPE = {
  start: [startSignal, startUpdate],
  addWin: [addWinSignal, addWinUpdate],
  end: [endSignal, endUpdate],
  void: [voidSignal, voidUpdate],
  collectWin: [collectWinSignal, collectWinUpdate],
  addSpinCounter: [addSpinCounterSignal, addSpinCounterUpdate],
  settle: [settleSignal, settleUpdate],
} as const;

/** The signal that makes a command durable, and the update that returns its answer. */
export function definitionsOf(command: Command): CommandDefinitions {
  const [signal, update] = BY_TYPE[command.type];
  // The types don't show that each pair takes its own command only. The table ensures it.
  return {
    command,
    signal,
    update,
  };
}
