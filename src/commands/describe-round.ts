import { refuse } from '../domain/errors';
import type { RoundSnapshot } from '../domain/round/types';
import { commandDeadline } from './deadline';
import { recordOf, standingOf, stateRepairingRecord, type CommandDependencies } from './send-to-round';

/** The current state of a round, from its record or its workflow. */
export async function describeRound(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined> {
  const deadline = commandDeadline();
  const standing = await standingOf(deps, gameround);
  if (standing !== undefined && standing !== 'unavailable' && standing.over !== undefined)
    return standing.over;
  const state = await stateRepairingRecord(deps, gameround, standing, deadline);
  if (state !== undefined || standing === undefined) return state;
  const record = await recordOf(deps, gameround);
  // The workflow is unknown and the database is down, so nobody knows whether the round exists.
  if (record === 'unavailable') throw refuse('SERVICEUNAVAILABLE');
  return record;
}
