import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { COMMANDS, type Actor, type Look, type RoundReply } from '../contracts/gameround';
import type { Command } from '../domain/round/types';

interface CommandDefinitions {
  signal: SignalDefinition<[Command, Actor?, string?]>;
  update: UpdateDefinition<RoundReply, [Command, (Actor | undefined)?, string?, (Look | undefined)?]>;
}

/** The signal that makes a command durable, and the update that returns its answer. */
export function definitionsOf({ type }: Command): CommandDefinitions {
  // The types don't show that each pair takes its own command only. The table ensures it.
  return COMMANDS[type];
}
