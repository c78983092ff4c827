import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { ExportActivities, Exported, HistorySource } from '../src/contracts/export';
import { PersonNeededError, untilAborted } from '../src/lifecycle';
import type { Logger } from '../src/logging';
import type { Metrics } from '../src/metrics';
import { serverClock } from './server-clock';

export interface ExportDependencies {
  /** Absent: no histories are exported. */
  histories?: HistorySource | undefined;
  /** Aborted when the process has to stop. */
  stopped?: AbortSignal;
  logger?: Pick<Logger, 'warn'>;
  metrics?: Pick<Metrics, 'exportedUntil' | 'historyNotExported'>;
}

/** Rounds are played in the same process, so the export uses at most so much of the time. */
const SHARE = 0.5;
/** So many histories are exported at once: most of the time of each one is spent waiting. */
const AT_ONCE = 4;
/** After the runs that ended within this time, the archive notes that it has them. */
const SPAN_MS = 3_600_000;
/** The server may list a run some time after it has ended, so a part is looked at again. */
const AGAIN_MS = 3_600_000;

type Run = Parameters<HistorySource['export']>[0];

export function createExportActivities(deps: ExportDependencies): ExportActivities {
  const { histories, stopped, logger, metrics } = deps;

  /** Rejects only if the archive or Temporal does not respond. */
  async function exportOne(
    source: HistorySource,
    run: Run,
    { from, now }: { from: Date; now: Date },
  ): Promise<'written' | 'there' | 'gone' | 'failed'> {
    try {
      return await source.export(run);
      // eslint-disable-next-line no-restricted-syntax -- the second try says why
    } catch {
      await source.keptSince(now);
      await source.mark(from);
    }
    try {
      return await source.export(run);
    } catch (error) {
      metrics?.historyNotExported('failed');
      logger?.warn({ err: error, ...run }, 'a history could not be exported; the export goes on');
      return 'failed';
    }
  }

  /** From when on the archive may lack histories. The server may have deleted some of them. */
  async function beginning(source: HistorySource, now: Date): Promise<Date> {
    const marked = await source.marked();
    if (marked !== undefined && marked <= now) return new Date(marked.getTime() - AGAIN_MS);
    if (marked !== undefined)
      logger?.warn(
        { marked, now },
        'the archive says that it has histories of the future; all are looked at again',
      );
    return source.keptSince(now);
  }

  async function exportAll(source: HistorySource, until: Date, ended: AbortSignal): Promise<Exported> {
    const all = { written: 0, failed: 0, until: until.toISOString() };
    const now = serverClock();
    let from = await beginning(source, now());

    async function exportGroup(group: readonly Run[]): Promise<void> {
      ended.throwIfAborted();
      const begunAt = performance.now();
      await Promise.all(
        group.map(async (run) => {
          const how = await exportOne(source, run, { from, now: now() });
          if (how === 'gone') {
            metrics?.historyNotExported('deleted');
            logger?.warn(run, 'a history was deleted before it was exported');
          }
          if (how === 'written' || how === 'failed') all[how] += 1;
          if (!ended.aborted) heartbeat({ ...all, from });
        }),
      );
      await sleep((performance.now() - begunAt) * (1 / SHARE - 1));
    }

    while (from < until) {
      const kept = await source.keptSince(now());
      // The beginning lies an hour before what is missing.
      if (from.getTime() + SPAN_MS < kept.getTime()) {
        logger?.warn({ from, until: kept }, 'histories of this time were deleted before they were exported');
        from = kept;
        continue;
      }
      const to = new Date(Math.min(from.getTime() + SPAN_MS, until.getTime()));
      let group: Run[] = [];
      for await (const run of source.endedIn(from, to)) {
        group.push(run);
        if (group.length < AT_ONCE) continue;
        await exportGroup(group);
        group = [];
      }
      await exportGroup(group);
      await source.mark(to);
      metrics?.exportedUntil(to);
      ended.throwIfAborted();
      heartbeat({ ...all, from });
      from = to;
    }
    return all;
  }

  return {
    async exportEnded(untilText) {
      // A worker that exports may take the next attempt.
      if (histories === undefined) throw ApplicationFailure.retryable('EXPORT_TO is off in this process');
      const cancelled = cancellationSignal();
      const isOver = new AbortController();
      const ended = AbortSignal.any([cancelled, isOver.signal, ...(stopped === undefined ? [] : [stopped])]);
      // A call that hangs must not hold the attempt.
      const end = untilAborted(ended).then(() => {
        cancelled.throwIfAborted();
        throw ApplicationFailure.retryable('the worker stops');
      });
      try {
        return await Promise.race([end, exportAll(histories, new Date(untilText), ended)]);
      } catch (error) {
        if (error instanceof PersonNeededError) logger?.warn(error.message);
        throw error;
      } finally {
        isOver.abort();
      }
    },
  };
}
