import { ApplicationFailure } from '@temporalio/activity';
import { RECORD_BEHIND, type GameroundActivities, type ProjectedRound } from '../src/contracts/activities';
import { withKnown, type OwnVersions } from '../src/domain/round/known-entries';
import { replyTo } from '../src/domain/round/replies';
import type { RoundSnapshot } from '../src/domain/round/types';
import type { Guards } from '../src/read-model/guards';
import type { Rounds } from '../src/read-model/rounds';
import { endWithAnswer, type AnswerDependencies } from './answers';

export interface RecordDependencies {
  rounds: Rounds;
  guards: Guards;
}

export type ReadModelDependencies = RecordDependencies & AnswerDependencies;

export function createReadModelActivities(deps: ReadModelDependencies): Pick<GameroundActivities, 'project'> {
  return {
    async project(projected, pending) {
      const snapshot = await whole(deps.rounds, projected);
      const { version, own } = projected;
      if (!(await record(deps, snapshot, version, own))) {
        const other = await deps.rounds.recorded(snapshot.identity.gameround);
        if (other !== undefined && other.version !== version) return other;
        // Its own: this is a further attempt.
        await releaseIfOver(deps, snapshot);
      }
      if (pending === undefined) return undefined;
      const { calls, answer, lastBalance } = pending;
      return endWithAnswer(deps, undefined, calls, () => replyTo({ ...snapshot, lastBalance }, answer));
    },
  };
}

/** Writes the record, and gives the guard back where the round is over; false where a newer record is there, or another's. */
export async function record(
  deps: RecordDependencies,
  snapshot: RoundSnapshot,
  version: number,
  own: OwnVersions | undefined,
): Promise<boolean> {
  const isWritten = await deps.rounds.write(snapshot, version, own);
  // Only after the record is there: it tells a repeated delivery that this round did send its debit.
  if (isWritten) await releaseIfOver(deps, snapshot);
  return isWritten;
}

async function releaseIfOver({ guards }: RecordDependencies, snapshot: RoundSnapshot): Promise<void> {
  const over = snapshot.status !== 'open' || snapshot.crashed;
  if (over) await guards.release(snapshot.identity, snapshot.identity.gameround);
}

/** What was left out stands in the record, unless that is another one by now: lost, restored, or of a run before a reset. */
async function whole(rounds: Rounds, { snapshot, known }: ProjectedRound): Promise<RoundSnapshot> {
  if (known.transactions === 0 && known.gameState === 0) return snapshot;
  const recorded = await rounds.recorded(snapshot.identity.gameround);
  const round = withKnown(snapshot, known, recorded);
  if (round === undefined) throw ApplicationFailure.nonRetryable('the record is behind', RECORD_BEHIND);
  return round;
}
