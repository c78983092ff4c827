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
  const record = await deps.ports.findRecord(gameround).catch(unavailable(deps));
  if (record === 'unavailable') {
    const state = await stateRepairingRecord(deps, gameround, record, deadline);
    // The workflow is unknown and the database is down, so nobody knows whether the round exists.
    return state ?? Promise.reject(refuse('SERVICEUNAVAILABLE'));
  }
  const { snapshot, idleAt } = record ?? {};
  if (isOver(snapshot)) return snapshot;
  if (idleAt !== undefined && (await deps.rounds.isIdleAt(gameround, idleAt, deadline))) return snapshot;
  return (await stateRepairingRecord(deps, gameround, snapshot, deadline)) ?? snapshot;
}
