import { refuse } from '../domain/errors';
import type { RoundSnapshot } from '../domain/round/types';
import { recordOf, standing, type CommandDependencies } from './shared';
import { commandDeadline } from './deadline';

/** How a round really stands. */
export async function describeRound(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined> {
  const deadline = commandDeadline();
  const record = await recordOf(deps, gameround);
  const round = await standing(deps, gameround, record, deadline);
  // Neither says anything, and one of them can't: that is no "no".
  if (round === undefined && record === 'unavailable') throw refuse('SERVICEUNAVAILABLE');
  return round;
}
