import { ApplicationFailure } from '@temporalio/activity';
import { RECORD_BEHIND, type GameroundActivities, type ProjectedRound } from '../src/contracts/activities';
import { withKnown } from '../src/domain/round/known-entries';
import type { RoundSnapshot } from '../src/domain/round/types';
import type { Guards } from '../src/read-model/guards';
import type { Rounds } from '../src/read-model/rounds';

export interface ReadModelDependencies {
  rounds: Rounds;
  guards: Guards;
}

export function createReadModelActivities(deps: ReadModelDependencies): Pick<GameroundActivities, 'project'> {
  return {
    async project(projected) {
      const snapshot = await whole(deps.rounds, projected);
      const { version, own } = projected;
      if (!(await deps.rounds.write(snapshot, version, own))) {
        const other = await deps.rounds.recorded(snapshot.identity.gameround);
        // Its own where this is a further attempt.
        if (other !== undefined && other.version !== version) return other;
      }
      // Only after the record is there: it tells a repeated delivery that this round did send its debit.
      const over = snapshot.status !== 'open' || snapshot.crashed;
      if (over) await deps.guards.release(snapshot.identity, snapshot.identity.gameround);
      return undefined;
    },
  };
}

/** What was left out stands in the record, unless that is another one by now: lost, restored, or of a run before a reset. */
async function whole(rounds: Rounds, { snapshot, known }: ProjectedRound): Promise<RoundSnapshot> {
  if (known.transactions === 0 && known.gameState === 0) return snapshot;
  const recorded = await rounds.recorded(snapshot.identity.gameround);
  const round = withKnown(snapshot, known, recorded);
  if (round === undefined) throw ApplicationFailure.nonRetryable('the record is behind', RECORD_BEHIND);
  return round;
}
