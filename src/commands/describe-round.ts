import { refuse } from '../domain/errors';
import type { RoundSnapshot } from '../domain/round/types';
import { recordOf, type CommandDependencies } from './shared';

/** How a round really stands: a record that is over has the last word, an open one may lag behind its workflow. */
export async function describeRound(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined> {
  const record = await recordOf(deps, gameround);
  if (record !== undefined && record !== 'unavailable' && record.status !== 'open') return record;
  const state = await deps.rounds.state(gameround);
  // Neither says anything, and one of them can't: that is no "no".
  if (state === undefined && record === 'unavailable') throw refuse('SERVICEUNAVAILABLE');
  return state ?? (record === 'unavailable' ? undefined : record);
}
