import type { GameroundActivities } from '../src/contracts/activities';
import type { ReconcileActivities } from '../src/contracts/reconcile';
import type { ExportActivities } from '../src/contracts/export';
import { createExportActivities, type ExportDependencies } from './export';
import { createPostCloseActivities, type PostCloseDependencies } from './post-close';
import { createAutoCloseActivities, type AutoCloseDependencies } from './auto-close';
import { createWalletActivities, type DeliverDependencies } from './deliver';
import { createReadModelActivities, type ReadModelDependencies } from './read-model';
import { createReconcileActivities, type ReconcileDependencies } from './reconcile';

export type ActivityDependencies = DeliverDependencies &
  ReadModelDependencies &
  AutoCloseDependencies &
  PostCloseDependencies &
  ReconcileDependencies &
  ExportDependencies;

export type Activities = GameroundActivities & ReconcileActivities & ExportActivities;

/** Creates the activities of all workflows. */
export function createActivities(deps: ActivityDependencies): Activities {
  return {
    ...createWalletActivities(deps),
    ...createReadModelActivities(deps),
    ...createAutoCloseActivities(deps),
    ...createPostCloseActivities(deps),
    ...createReconcileActivities(deps),
    ...createExportActivities(deps),
  };
}
