import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, heartbeat } from '@temporalio/activity';
import type { ExportActivities, HistorySource } from '../src/contracts/export';

export interface ExportDependencies {
  /** Absent: no histories are exported. */
  histories?: HistorySource | undefined;
  /** Aborted when the process has to stop. */
  stopped?: AbortSignal;
}

/** Rounds are played in the same process, so the export uses at most so much of the time. */
const SHARE = 0.5;
/** After the runs that ended within this time, the archive notes that it has them. */
const SPAN_MS = 3_600_000;

export function createExportActivities({ histories, stopped }: ExportDependencies): ExportActivities {
  return {
    async exportEnded(untilText) {
      // A worker that exports may take the next attempt.
      if (histories === undefined) throw ApplicationFailure.retryable('EXPORT_TO is off in this process');
      const until = new Date(untilText);
      let written = 0;
      let from = await histories.begin();
      while (from < until) {
        const to = new Date(Math.min(from.getTime() + SPAN_MS, until.getTime()));
        for await (const run of histories.endedIn(from, to)) {
          if (stopped?.aborted === true) throw ApplicationFailure.retryable('the worker stops');
          const begunAt = performance.now();
          if ((await histories.export(run)) === 'written') written += 1;
          heartbeat({ written, from });
          await sleep((performance.now() - begunAt) * (1 / SHARE - 1));
        }
        await histories.mark(to);
        heartbeat({ written, from });
        from = to;
      }
      return { written, until: untilText };
    },
  };
}
