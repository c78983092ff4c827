import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { RECORD_BEHIND, type GameroundActivities } from '../src/contracts/activities';
import { leavesOut, withKnown, type KnownEntries } from '../src/domain/round/known-entries';
import type { IdleHistory } from '../src/domain/round/record';
import { replyTo } from '../src/domain/round/replies';
import type { RoundSnapshot, RoundState } from '../src/domain/round/types';
import type { Rounds } from '../src/read-model/rounds';
import type { WaitingCalls } from '../src/contracts/waiting-calls';

export interface ReadModelDependencies {
  rounds: Rounds;
  waitingCalls: WaitingCalls;
}

export function createReadModelActivities(deps: ReadModelDependencies): Pick<GameroundActivities, 'project'> {
  return {
    async project(projected, pending) {
      const { version, ownVersions, known } = projected;
      const snapshot = await whole(deps.rounds, projected.snapshot, known);
      if (snapshot === undefined)
        throw ApplicationFailure.nonRetryable('the record is behind', RECORD_BEHIND);
      const idleAt = idleHistory(projected.idleAt);
      if (!(await deps.rounds.write(snapshot, version, ownVersions, { idleAt }))) {
        const other = await deps.rounds.recorded(snapshot.identity.gameround);
        // With this version, an earlier attempt of this activity has written it.
        if (other !== undefined && other.version !== version) return other;
      }
      if (pending === undefined) return undefined;
      const { calls, answer, lastBalance } = pending;
      deps.waitingCalls.answer(calls, () => replyTo({ ...snapshot, lastBalance }, answer));
      return undefined;
    },
  };
}

/** The history of this activity's run with this many events. */
export function idleHistory(events: number): IdleHistory | undefined {
  const { runId } = activityInfo().workflowExecution ?? {};
  return runId === undefined ? undefined : { runId, events };
}

/**
 * Adds the entries that were left out, from the record. Undefined if the record is not the expected one: it was lost,
 * restored, or written by a run before a reset.
 */
export async function whole<Round extends RoundSnapshot | RoundState>(
  rounds: Rounds,
  round: Round,
  known: KnownEntries,
): Promise<Round | undefined> {
  const recorded = leavesOut(known) ? await rounds.recorded(round.identity.gameround) : undefined;
  return withKnown(round, known, recorded);
}
