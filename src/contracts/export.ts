import { GAMEROUND_WORKFLOW } from './gameround';
import { RECONCILE_WORKFLOW } from './reconcile';

export const EXPORT_WORKFLOW = 'exportHistories';
/** Also the id of its schedule. */
export const EXPORT_ID = 'gameround-export';

/** The workflows whose histories are kept. */
export const EXPORTED_TYPES = [GAMEROUND_WORKFLOW, RECONCILE_WORKFLOW];

/** The argument of the workflow. */
export interface ExportStart {
  /** Runs that have ended within this time are left to the next run. */
  lagMs?: number;
}

export interface Exported {
  /** How many histories were written. */
  written: number;
  /** Histories that could not be written. The log of the worker names them. */
  failed: number;
  /** All histories of runs that ended before that are in the archive; ISO 8601. */
  until: string;
}

export interface ExportActivities {
  /** Exports the histories that are not in the archive yet. It can be repeated, and goes on where it stopped. */
  exportEnded(until: string): Promise<Exported>;
}

/** The server's histories, and the archive to which they are written. */
export interface HistorySource {
  /** The server has deleted the runs that ended before. `now` is the time of the server. */
  keptSince(now: Date): Promise<Date>;
  /**
   * The time until which the archive has everything; undefined if it is new.
   * @throws PersonNeededError if it is the archive of another namespace
   */
  marked(): Promise<Date | undefined>;
  /** Runs that ended in this time. Without `until`: also those that have ended just now. */
  endedIn(from: Date, until?: Date): AsyncIterable<{ workflowId: string; runId: string }>;
  /** `there`: it was exported before. `gone`: the server has deleted it meanwhile. */
  export(run: { workflowId: string; runId: string }): Promise<'written' | 'there' | 'gone'>;
  /** Notes that the archive has all runs that ended before. */
  mark(until: Date): Promise<void>;
}
