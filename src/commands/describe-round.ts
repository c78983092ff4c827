import { refuse } from '../domain/errors';
import type { RoundSnapshot } from '../domain/round/types';
import { commandDeadline } from './deadline';
import { isOver, stateRepairingRecord, unavailable, type CommandDependencies } from './send-to-round';

/**
 * The current state of a round: from its record if that is final or the server says that nothing has happened since it was
 * written, otherwise from its workflow.
 */
export async function describeRound(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined> {
  const deadline = commandDeadline();
  const record = await deps.ports.readRecord(gameround).catch(unavailable(deps));
  const { snapshot, idleAt } = record === 'unavailable' ? {} : (record ?? {});
  if (isOver(snapshot)) return snapshot;
  if (idleAt !== undefined && (await deps.rounds.isIdleAt(gameround, idleAt, deadline))) return snapshot;
  const known = record === 'unavailable' ? record : snapshot;
  const state = await stateRepairingRecord(deps, gameround, known, deadline);
  // The workflow is unknown and the database is down, so nobody knows whether the round exists.
  if (state === undefined && record === 'unavailable') throw refuse('SERVICEUNAVAILABLE');
  return state ?? snapshot;
}
