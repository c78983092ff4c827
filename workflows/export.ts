import { proxyActivities } from '@temporalio/workflow';
import type { ExportActivities, Exported, ExportStart } from '../src/contracts/export';
import { EXPORT } from './policies';

const { exportEnded } = proxyActivities<ExportActivities>(EXPORT);

/** The server may list a run some time after it has ended. */
const LAG_MS = 600_000;

/** Exports the histories of workflows that have ended, before the server deletes them. A schedule starts it. */
export async function exportHistories({ lagMs = LAG_MS }: ExportStart = {}): Promise<Exported> {
  return exportEnded(new Date(Date.now() - lagMs).toISOString());
}
