import { ApplicationFailure } from '@temporalio/activity';
import { RECORD_BEHIND, type GameroundActivities } from '../src/contracts/activities';
import { withKnown, type KnownEntries, type OwnVersions } from '../src/domain/round/known-entries';
import { holdsGuard, replyTo } from '../src/domain/round/replies';
import type { RoundSnapshot, RoundState } from '../src/domain/round/types';
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
      const { version, own, known } = projected;
      const snapshot = await whole(deps.rounds, projected.snapshot, known);
      if (snapshot === undefined)
        throw ApplicationFailure.nonRetryable('the record is behind', RECORD_BEHIND);
      if (!(await record(deps, snapshot, version, own))) {
        const other = await deps.rounds.recorded(snapshot.identity.gameround);
        if (other !== undefined && other.version !== version) return other;
        // An earlier attempt of this activity has written the record.
        await releaseIfOver(deps, snapshot);
      }
      if (pending === undefined) return undefined;
      const { calls, answer, lastBalance } = pending;
      return endWithAnswer(deps, undefined, calls, () => replyTo({ ...snapshot, lastBalance }, answer));
    },
  };
}

/** Writes the record, and releases the guard if the round is over. False if the record is newer or from another run. */
export async function record(
  deps: RecordDependencies,
  snapshot: RoundSnapshot,
  version: number,
  own: OwnVersions | undefined,
): Promise<boolean> {
  const isWritten = await deps.rounds.write(snapshot, version, own);
  // Release the guard only after the record is written: a repeated delivery sees there that the debit was sent.
  if (isWritten) await releaseIfOver(deps, snapshot);
  return isWritten;
}

async function releaseIfOver({ guards }: RecordDependencies, snapshot: RoundSnapshot): Promise<void> {
  if (!holdsGuard(snapshot)) await guards.release(snapshot.identity, snapshot.identity.gameround);
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
  if (known.transactions === 0 && known.gameState === 0) return round;
  return withKnown(round, known, await rounds.recorded(round.identity.gameround));
}
