import {
  condition,
  log,
  proxyActivities,
  workflowInfo,
  type ActivityInterfaceFor,
} from '@temporalio/workflow';
import {
  RECORD_BEHIND,
  type CommandEnd,
  type GameroundActivities,
  type AnswerForCallers,
} from '../../src/contracts/activities';
import { isRecorded } from '../../src/contracts/activity-results';
import { setMark } from '../../src/domain/round/marks';
import { isOwn, withoutKnown, type OwnVersions, type Recorded } from '../../src/domain/round/known-entries';
import { snapshotOf } from '../../src/domain/round/replies';
import { takeOver } from '../../src/domain/round/restored';
import type { RoundState } from '../../src/domain/round/types';
import { failedAs } from '../failures';
import { FIRST_PROJECTION, PROJECTION, PROJECTION_WARN_MS } from '../policies';
import type { QueuedCommand } from './inbox';
import { nowIso, type Publish, type Round } from './round';
import { durationText, statusText } from './texts';

type Project = Pick<GameroundActivities, 'project'>;

const first = proxyActivities<Project>(FIRST_PROJECTION);
const retried = proxyActivities<Project>(PROJECTION);

/**
 * The most events that are added until the round is idle again: the end of this task, the activity that writes the record (3),
 * the task that takes its result in (3), the timer of the automatic close, and an update (2). The next command may change the
 * round with the end of its task, which is the eleventh event or a later one.
 */
const EVENTS_UNTIL_IDLE = 10;
const idleAt = (): number => workflowInfo().historyLength + EVENTS_UNTIL_IDLE;

export interface Projection {
  /**
   * Writes the record and answers the calls that wait for it. Returns when the record is written, or after two seconds if
   * the database does not respond.
   */
  project(answer?: AnswerForCallers): Promise<void>;
  /**
   * The data with which an activity can finish a command itself. Undefined while an older state is still being written.
   * `creditFollows`: the command sends a credit after its bet.
   */
  begin(item: Pick<QueuedCommand, 'key' | 'calls'>, creditFollows: boolean): CommandEnd | undefined;
  /**
   * Notes that an activity has written the current state under this version. False if another write has started meanwhile,
   * which may have overwritten it with an older state.
   */
  isUpToDate(version: number): boolean;
  /** Writes the record in the background. */
  projectSoon(): void;
  /** Whether the record is up to date. */
  isIdle(): boolean;
  /** The newest version of the record. */
  version(): number;
  ownVersions(): OwnVersions;
  /** Takes over the state of a record that is ahead of the round. Does nothing if this run has written the record. */
  takeOver(record: Recorded): void;
}

/**
 * Writes the round's record in the read model. The first attempt is part of the command. If it fails, the newest state is
 * written in the background until that succeeds, and the round takes further commands meanwhile.
 * Such a command always leaves an event (`publish('always')`): the SDK (1.24) may replay a task without events at the time of
 * the next task, so decisions would get another time (test/workflows/taken-over.test.ts).
 */
export function createProjection(
  round: Round,
  previousVersion: number | undefined,
  publish: Publish,
): Projection {
  let version = previousVersion ?? 0;
  // A run continues as new only if its record is up to date.
  let recorded: Recorded | undefined =
    previousVersion === undefined ? undefined : { snapshot: snapshotOf(round.state), version };
  let ownVersions: OwnVersions = { upTo: version, also: [] };
  let catchingUp = false;
  let stale = false;

  // The time makes versions differ across a reset of the workflow: a reset repeats decisions at a later time.
  const next = (): number => (version = Math.max(version + 1, Date.now()));

  /** Reserves a version for the next write. From now on a record with this version counts as written by this run. */
  function give(): number {
    const given = next();
    ownVersions = { ...ownVersions, also: [...ownVersions.also, given] };
    return given;
  }

  async function write({ project }: ActivityInterfaceFor<Project>, answer?: AnswerForCallers): Promise<void> {
    const snapshot = snapshotOf(round.state);
    const base = recorded;
    try {
      const before = ownVersions;
      const given = give();
      const { round: rest, known } = withoutKnown(snapshot, base);
      const summary = `record: ${statusText(round.state)}`;
      const other = await project.executeWithOptions({ summary }, [
        { snapshot: rest, known, version: given, ownVersions: before, idleAt: idleAt() },
        answer,
      ]);
      recorded = other === undefined ? { snapshot, version: given } : undefined;
      if (other === undefined) written(given);
      // A person has completed the activity with another value, so nothing says that the record was written.
      else if (!isRecorded(other, snapshot.identity.gameround)) await write(retried);
      else if (mustWriteAgain(other)) await write({ project });
    } catch (error) {
      recorded = undefined;
      if (base === undefined || !failedAs(error, RECORD_BEHIND)) throw error;
      await write(retried);
    }
  }

  /** Notes that this version is written: no older version can be written from now on. */
  function written(given: number): void {
    ownVersions = {
      upTo: Math.max(ownVersions.upTo, given),
      also: ownVersions.also.filter((one) => one > given),
    };
  }

  function mustWriteAgain(other: Recorded): boolean {
    if (isOwn(ownVersions, other.version)) return false;
    version = Math.max(version, other.version);
    // A pending wallet call needs its outcome first. The next write after it finds the newer record again.
    if (round.state.pending === undefined) takeOverFrom(other);
    return round.state.pending === undefined;
  }

  function takeOverFrom(record: Recorded): void {
    if (isOwn(ownVersions, record.version)) return;
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
    // If this write is late, too, it sets the mark again.
    while (isMarked()) {
      unmark();
      await writeUntilDone();
    }
    catchingUp = false;
    if (stale) await catchUp();
  }

  const isMarked = (): boolean => round.state.keptMarks.includes('projection-pending');

  function unmark(): void {
    round.state = setMark(round.state, 'projection-pending', false);
    publish();
  }

  /** Marks the round if the write takes too long. The workflow shows the mark at once, the record with a later write. */
  async function writeUntilDone(): Promise<void> {
    let written = false;
    const writing = write(retried).finally(() => (written = true));
    const marking = { summary: `mark the round if this takes over ${durationText(PROJECTION_WARN_MS)}` };
    if (!(await condition(() => written, PROJECTION_WARN_MS, marking))) {
      round.state = setMark(round.state, 'projection-pending', true);
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
    async project(answer) {
      if (catchingUp) return projectSoon();
      try {
        await write(first, answer);
      } catch (error) {
        log.warn('the record could not be written at once', { reason: String(error) });
        round.state = setMark(round.state, 'projection-pending', true);
        publish();
        projectSoon();
      }
    },
    begin({ key, calls }, creditFollows) {
      if (catchingUp || stale) return undefined;
      const betVersion = creditFollows ? give() : undefined;
      const { round: state, known } = withoutKnown(withOneCommand(round.state, key), recorded);
      return { state, known, version: give(), betVersion, key, calls, idleAt: idleAt() };
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
    ownVersions: () => ownVersions,
    takeOver: takeOverFrom,
  };
}

/** Keeps only the command in progress: the activity needs no other, and a long round has many. */
function withOneCommand(state: RoundState, key: string): RoundState {
  const { [key]: command } = state.commands;
  return { ...state, commands: command === undefined ? {} : { [key]: command } };
}
