import type { GameroundActivities } from '../src/contracts/activities';
import type { Guards } from '../src/read-model/guards';
import type { Rounds } from '../src/read-model/rounds';

export interface ReadModelDependencies {
  rounds: Rounds;
  guards: Guards;
}

export function createReadModelActivities(deps: ReadModelDependencies): Pick<GameroundActivities, 'project'> {
  return {
    async project({ snapshot, version }) {
      await deps.rounds.write(snapshot, version);
      // Only after the record is there: it tells a repeated delivery that this round did send its debit.
      const over = snapshot.status !== 'open' || snapshot.crashed;
      if (over) await deps.guards.release(snapshot.identity, snapshot.identity.gameround);
    },
  };
}
