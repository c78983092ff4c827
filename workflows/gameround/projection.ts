import { condition, log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import {
  RECORD_BEHIND,
  type CommandEnd,
  type GameroundActivities,
  type PendingAnswer,
} from '../../src/contracts/activities';
import { mark } from '../../src/domain/round/attention';
import { isOwn, withoutKnown, type OwnVersions, type Recorded } from '../../src/domain/round/known-entries';
import { snapshotOf } from '../../src/domain/round/replies';
import { takeOver } from '../../src/domain/round/restored';
import type { RoundState } from '../../src/domain/round/types';
import { failedAs } from '../failures';
import { FIRST_PROJECTION, PROJECTION, PROJECTION_WARN_MS } from '../policies';
import type { QueuedCommand } from './inbox';
import { nowIso, type Publish, type Round } from './round';

type Project = Pick<GameroundActivities, 'project'>;

const first = proxyActivities<Project>(FIRST_PROJECTION);
const retried = proxyActivities<Project>(PROJECTION);

export interface Projection {
  /**
   * Writes the record, and answers the calls that wait for it; returns when it is written, or after two seconds when
   * the database doesn’t take it.
   */
  project(pending?: PendingAnswer): Promise<void>;
  /**
   * What an activity needs to end a command itself. Undefined while an older state is still being written, and in a run
   * that a person has reset, which knows less than its record.
   */
  begin(item: Pick<QueuedCommand, 'key' | 'calls'>): CommandEnd | undefined;
  /**
   * Notes that an activity has written the record under this version, as the round stands now. False where another write
   * was begun meanwhile, which may have put an older state in its place.
   */
  isUpToDate(version: number): boolean;
  /** Notes that the record has to be written, without waiting for it. */
  projectSoon(): void;
  /** The record shows the round as it is. */
  isIdle(): boolean;
  /** The newest that was given to the record. */
  version(): number;
  own(): OwnVersions;
  /** Makes of the round what a record says that is ahead of it; nothing where the record is this run's own. */
  takeOver(record: Recorded): void;
}

/**
 * Brings the round's record in the read model up to date. The first try is part of the command; when it fails, the
 * newest state is written in the background until it succeeds, and the round's money goes on meanwhile. A command that
 * comes meanwhile leaves an event all the same: the SDK (1.24) may replay a task without one at the time of the next
 * task, and what the round has decided would bear another time (test/workflows/taken-over.test.ts).
 */
export function createProjection(
  round: Round,
  previousVersion: number | undefined,
  publish: Publish,
): Projection {
  let version = previousVersion ?? 0;
  // A run goes on only when its record is up to date.
  let recorded: Recorded | undefined =
    previousVersion === undefined ? undefined : { snapshot: snapshotOf(round.state), version };
  let own: OwnVersions = { upTo: version, also: [] };
  let catchingUp = false;
  let stale = false;

  // Rises also across a reset of the workflow, which repeats decisions but not the time.
  const next = (): number => (version = Math.max(version + 1, Date.now()));

  /** A version for a write that is to come: from now on its record is this run's own. */
  function give(): number {
    const given = next();
    own = { ...own, also: [...own.also, given] };
    return given;
  }

  async function write({ project }: Project, pending?: PendingAnswer): Promise<void> {
    const snapshot = snapshotOf(round.state);
    const base = recorded;
    try {
      const before = wasReset() ? undefined : own;
      const given = give();
      const { round: rest, known } = withoutKnown(snapshot, base);
      const other = await project({ snapshot: rest, known, version: given, own: before }, pending);
      recorded = other === undefined ? { snapshot, version: given } : undefined;
      if (other === undefined) written(given);
      else if (mustWriteAgain(other)) await write({ project });
    } catch (error) {
      recorded = undefined;
      if (base === undefined || !failedAs(error, RECORD_BEHIND)) throw error;
      await write(retried);
    }
  }

  /** No older one can be written from now on. */
  function written(given: number): void {
    own = { upTo: Math.max(own.upTo, given), also: own.also.filter((one) => one > given) };
  }

  function mustWriteAgain(other: Recorded): boolean {
    if (isOwn(own, other.version)) return false;
    version = Math.max(version, other.version);
    // One from before the reset was still on its way.
    if (wasReset()) return true;
    // What is at the wallet has to come back first: the record is written, and found to be ahead, once more after that.
    if (round.state.pending === undefined) takeOverFrom(other);
    return round.state.pending === undefined;
  }

  function takeOverFrom(record: Recorded): void {
    if (isOwn(own, record.version)) return;
    log.warn('the record is ahead of the round, which takes it over', { status: record.snapshot.status });
    version = Math.max(version, record.version);
    written(record.version);
    recorded = undefined;
    round.state = takeOver(round.state, record.snapshot, nowIso());
    round.takenOver = true;
    publish();
  }

  async function catchUp(): Promise<void> {
    catchingUp = true;
    while (stale) {
      stale = false;
      await writeUntilDone();
    }
    // Was the last one late as well, the mark is there again.
    while (isMarked()) {
      unmark();
      await writeUntilDone();
    }
    catchingUp = false;
    if (stale) await catchUp();
  }

  const isMarked = (): boolean => round.state.marks.includes('projection-pending');

  function unmark(): void {
    round.state = mark(round.state, 'projection-pending', false);
    publish();
  }

  /** A record that waits longer than it should is marked: on the workflow at once, and by the write itself. */
  async function writeUntilDone(): Promise<void> {
    let written = false;
    const writing = write(retried).finally(() => (written = true));
    if (!(await condition(() => written, PROJECTION_WARN_MS))) {
      round.state = mark(round.state, 'projection-pending', true);
      publish();
    }
    await writing;
  }

  function projectSoon(): void {
    stale = true;
    if (catchingUp) publish('always');
    else void catchUp();
  }

  return {
    async project(pending) {
      if (catchingUp) return projectSoon();
      try {
        await write(first, pending);
      } catch (error) {
        log.warn('the record could not be written at once', { reason: String(error) });
        round.state = mark(round.state, 'projection-pending', true);
        publish();
        projectSoon();
      }
    },
    begin({ key, calls }) {
      if (catchingUp || stale) return undefined;
      const given = give();
      if (wasReset()) return undefined;
      const { round: state, known } = withoutKnown(withOneCommand(round.state, key), recorded);
      return { state, known, version: given, key, calls };
    },
    isUpToDate(given) {
      if (given !== version) return false;
      recorded = { snapshot: snapshotOf(round.state), version };
      written(version);
      return true;
    },
    projectSoon,
    isIdle: () => !catchingUp && !stale,
    version: () => version,
    own: () => own,
    takeOver: takeOverFrom,
  };
}

/** A long round's commands are many, and only the one that is being carried out matters to its activity. */
function withOneCommand(state: RoundState, key: string): RoundState {
  const { [key]: command } = state.commands;
  return { ...state, commands: command === undefined ? {} : { [key]: command } };
}

/** A person has reset the workflow: what it did before, and the record shows, it does again. */
function wasReset(): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return runId !== originalExecutionRunId;
}
