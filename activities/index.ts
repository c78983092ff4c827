import type { GameroundActivities } from '../src/contracts/activities';
import { createAfterwardsActivities, type AfterwardsDependencies } from './afterwards';
import { createAutoCloseActivities, type AutoCloseDependencies } from './auto-close';
import { createWalletActivities, type DeliverDependencies } from './deliver';
import { createReadModelActivities, type ReadModelDependencies } from './read-model';

export type ActivityDependencies = DeliverDependencies &
  ReadModelDependencies &
  AutoCloseDependencies &
  AfterwardsDependencies;

/** The activities of the round's workflow, over their dependencies. */
export function createActivities(deps: ActivityDependencies): GameroundActivities {
  return {
    ...createWalletActivities(deps),
    ...createReadModelActivities(deps),
    ...createAutoCloseActivities(deps),
    ...createAfterwardsActivities(deps),
  };
}
