import { refuse } from '../domain/errors';
import type { RoundSnapshot } from '../domain/round/types';
import { commandDeadline } from './deadline';
import {
  isOver,
  recordOf,
  standingOf,
  stateRepairingRecord,
  type CommandDependencies,
} from './send-to-round';

/** How a round really stands. */
export async function describeRound(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined> {
  const deadline = commandDeadline();
  const standing = await standingOf(deps, gameround);
  const state = isOver(standing)
    ? undefined
    : await stateRepairingRecord(deps, gameround, standing, deadline);
  if (state !== undefined || standing === undefined) return state;
  const record = await recordOf(deps, gameround);
  // Neither says anything, and one of them can't: that is no "no".
  if (record === 'unavailable') throw refuse('SERVICEUNAVAILABLE');
  return record;
}
