import { refuse } from '../domain/errors';
import type { RoundSnapshot } from '../domain/round/types';
import { recordOf, standing, type CommandDependencies } from './shared';

/** How a round really stands. */
export async function describeRound(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined> {
  const record = await recordOf(deps, gameround);
  const round = await standing(deps, gameround, record);
  // Neither says anything, and one of them can't: that is no "no".
  if (round === undefined && record === 'unavailable') throw refuse('SERVICEUNAVAILABLE');
  return round;
}
