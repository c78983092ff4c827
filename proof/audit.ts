import { setTimeout as sleep } from 'node:timers/promises';
import { workflowIdOf } from '../src/contracts/gameround';
import { holdsGuard } from '../src/domain/round/replies';
import { needsWorkflow } from '../src/domain/round/restored';
import type { RoundSnapshot } from '../src/domain/round/types';
import type { RoundDocument } from '../src/read-model/rounds';
import { addTo, fieldsThatDiffer, parsed, type Totals } from './compare';
import { describe, type Difference } from './differences';
import { recordIn, type RecordInHistory } from '../src/histories/record';
import { isOfOddForm, oddFormText } from './odd-form';
import { replay, type Replayed, type ReplayOptions } from './replay';
import { gameroundOf, type Run } from './runs';

/** Something that is not as it should be. */
export interface Finding {
  gameround: string;
  /**
   * - `replay`: the history can't be read or replayed, or contradicts itself.
   * - `differs`: the record differs from the history.
   * - `no-record`, `no-workflow`: one of the two is missing.
   * - `not-running`: the round is open or owes a void, and its workflow has ended.
   * - `no-guard`: the round is open, and its player could start another one.
   */
  kind: 'replay' | 'differs' | 'no-record' | 'no-workflow' | 'not-running' | 'no-guard';
  reasons: string[];
  fields?: Difference[];
}

export interface AuditPorts {
  runs: AsyncIterable<Run>;
  replay: ReplayOptions;
  environment: string;
  find: (gameround: string) => Promise<Document | undefined>;
  /** Why an open round rightly has no guard, or who has it. */
  guardOf: (round: Document) => Promise<'moved' | { holder: string | undefined }>;
  /** Rounds without a record whose first bet may have been taken. Most of them are under way. */
  undecidedBets(): AsyncIterable<string>;
  /** The records that have to have a workflow. */
  records(): AsyncIterable<Pick<RoundDocument, '_id' | 'closedAt'>>;
  /** The newest run on the server, or all runs that were exported; none if neither has one. */
  runsOf: (workflowId: string) => Promise<Run[]>;
  /** Temporal has deleted the workflows of rounds that closed before that. */
  keptSince: Date;
  found(finding: Finding): void;
  step(): void;
}

/** A record, and whether it holds the open-round guard (src/read-model/guards.ts). */
export type Document = RoundDocument & { holds?: true };

export interface Audited {
  rounds: number;
  /** Rounds whose wallet call was in progress, so that their record can't be known. */
  inProgress: number;
  /** Records of rounds whose workflow Temporal has deleted after its retention. */
  expired: number;
  findings: number;
  /** By the histories. */
  histories: Totals;
  /** By MongoDB, of the same rounds. */
  records: Totals;
}

/** Whether there was nothing to examine. */
export function isEmpty({ rounds, inProgress, expired, findings }: Audited): boolean {
  return rounds + inProgress + expired + findings === 0;
}

/**
 * Compares each record with what its history says, and replays each history. Memory holds a number for each round, and the
 * differences that were found.
 */
export async function audit(ports: AuditPorts): Promise<Audited> {
  const audited: Audited = {
    ...{ rounds: 0, inProgress: 0, expired: 0, findings: 0 },
    ...{ histories: new Map(), records: new Map() },
  };
  /** The newest version of each round in the runs so far; -1 if no run says one. */
  const seen = new Map<string, number>();
  /** A round may have several runs, after a reset or if its name was free again. The newest one counts. */
  const open = new Map<string, Finding | 'in progress'>();
  const running = new Set<string>();
  const tell = (finding: Finding): void => {
    audited.findings += 1;
    ports.found(finding);
  };

  async function judge({ run, problem }: Replayed): Promise<void> {
    const gameround = gameroundOf(run);
    ports.step();
    if (problem !== undefined) {
      const at = problem.eventId === undefined ? '' : `event ${problem.eventId}: `;
      tell({ gameround, kind: 'replay', reasons: [`${at}${problem.reason}`] });
    }
    try {
      await compare(run, gameround);
    } catch (error) {
      if (!isOfOddForm(error)) throw error;
      seen.set(gameround, seen.get(gameround) ?? -1);
      tell({ gameround, kind: 'replay', reasons: [oddFormText(error)] });
    }
  }

  async function compare(run: Run, gameround: string): Promise<void> {
    const judged = await judgeLive(ports, run, gameround);
    if (judged !== undefined && judged.told.ending === undefined) running.add(gameround);
    const before = seen.get(gameround) ?? -1;
    const version = judged?.version ?? -1;
    const isKnownAsFine = before >= 0 && !open.has(gameround);
    if (judged === undefined || version < before || (isKnownAsFine && version === before))
      return void seen.set(gameround, before);
    if (before === -1) count(judged);
    seen.set(gameround, version);
    const finding = judged.finding ?? (judged.isInProgress ? 'in progress' : undefined);
    if (finding === undefined) open.delete(gameround);
    else open.set(gameround, finding);
  }

  function count({ told, record }: Judged): void {
    audited.rounds += 1;
    if (told.written !== undefined) addTo(audited.histories, told.written.snapshot);
    const recorded = record && snapshotIn(record);
    if (recorded !== undefined) addTo(audited.records, recorded);
  }

  for await (const replayed of replay(ports.runs, ports.replay)) await judge(replayed);
  for await (const replayed of replay(unlisted(), ports.replay)) await judge(replayed);
  for (const finding of open.values()) {
    // A reset has ended this run, and the next one repeats the round's newest steps.
    const isRepeated =
      finding !== 'in progress' && finding.kind === 'not-running' && running.has(finding.gameround);
    if (finding === 'in progress' || isRepeated) audited.inProgress += 1;
    else tell(finding);
  }
  return audited;

  /** The runs of records and bets that no listed run has told. The server may list a round later than it runs. */
  async function* unlisted(): AsyncIterable<Run> {
    const lacks = (gameround: string, reason: string): void =>
      tell({ gameround, kind: 'no-workflow', reasons: [reason] });
    for await (const { _id, closedAt } of ports.records()) {
      if (seen.has(_id)) continue;
      const runs = await ports.runsOf(workflowIdOf(_id));
      if (runs.length > 0) yield* runs;
      else if (closedAt !== undefined && closedAt < ports.keptSince) audited.expired += 1;
      else lacks(_id, 'MongoDB has a record, and no workflow exists');
    }
    for await (const gameround of ports.undecidedBets()) {
      if (seen.has(gameround)) continue;
      const runs = await ports.runsOf(workflowIdOf(gameround));
      if (runs.length > 0) yield* runs;
      else if ((await ports.find(gameround)) === undefined)
        lacks(gameround, `no workflow exists, and ${LOST_BET}`);
    }
  }
}

interface Judged {
  told: RecordInHistory;
  record: Document | undefined;
  /** Of the newest record in the history; 0 if it has none. */
  version: number;
  finding?: Finding;
  isInProgress: boolean;
}

const LOST_BET = 'its first bet may have been taken: there is no record';

const LOOKS = 5;
const PAUSE_MS = 300;

/** A round that goes on may have changed between its history and its record, so a difference is looked at again. */
async function judgeLive(ports: AuditPorts, run: Run, gameround: string): Promise<Judged | undefined> {
  let latest = run;
  for (let look = 1; ; look += 1) {
    const judged = await judgeOnce(ports, latest, gameround);
    const isAsItShouldBe = judged === undefined || (judged.finding === undefined && !judged.isInProgress);
    if (isAsItShouldBe || latest.again === undefined || judged.told.ending !== undefined || look === LOOKS)
      return judged;
    await sleep(PAUSE_MS);
    latest = await latest.again();
  }
}

async function judgeOnce(
  { find, guardOf, environment }: Pick<AuditPorts, 'find' | 'guardOf' | 'environment'>,
  run: Run,
  gameround: string,
): Promise<Judged | undefined> {
  const told = recordIn(run.facts);
  // The next run goes on with the record of a continued one.
  if (told === undefined || told.ending === 'continued') return undefined;
  const record = await find(gameround);
  const judged = { told, record, version: told.written?.version ?? 0, isInProgress: false };
  if (told.faults.length > 0)
    return { ...judged, finding: { gameround, kind: 'replay', reasons: told.faults } };
  if (record === undefined) {
    if (told.written === undefined) return isLost(run, told) ? notRunning(judged, LOST_BET) : judged;
    return {
      ...judged,
      finding: {
        gameround,
        kind: 'no-record',
        reasons: ['MongoDB has no record, and the history has written one'],
      },
    };
  }
  if (told.deliveringAs.includes(record.version)) {
    // A delivery may have written the record after its workflow was terminated.
    const stored = snapshotIn(record);
    return stored !== undefined && isAbandoned(stored, told)
      ? notRunning(judged)
      : { ...judged, isInProgress: true };
  }
  const recorded = told.maybe.find(({ version }) => version === record.version) ?? told.written;
  if (recorded === undefined)
    return {
      ...judged,
      finding: { gameround, kind: 'differs', reasons: ['the history has written no record'] },
    };
  const fields = fieldsThatDiffer(recorded, record, environment);
  if (fields.length > 0) {
    const reasons = fields.map((field) => describe(field, ['history', 'MongoDB']));
    return { ...judged, finding: { gameround, kind: 'differs', reasons, fields } };
  }
  if (isAbandoned(recorded.snapshot, told)) return notRunning(judged);
  if (!holdsGuard(recorded.snapshot) || record.holds === true) return judged;
  const guard = await guardOf(record);
  if (guard === 'moved') return judged;
  const reason = `the round is open and ${guard.holder ?? 'no round of its player'} has the guard`;
  return { ...judged, finding: { gameround, kind: 'no-guard', reasons: [reason] } };
}

/** Whether the workflow has ended before its round, or before the voids that the round owes. */
export function isAbandoned(snapshot: RoundSnapshot, { ending }: RecordInHistory): boolean {
  const isOpen = snapshot.status === 'open';
  return ending !== undefined && needsWorkflow(snapshot) && (isOpen || ending !== 'completed');
}

function notRunning(judged: Judged, ...more: string[]): Judged {
  const { gameround } = judged.told.identity;
  const reasons = [[`its workflow is ${judged.told.ending}`, ...more].join(', and ')];
  return { ...judged, finding: { gameround, kind: 'not-running', reasons } };
}

/** Whether the workflow was stopped while its first bet was under way. */
function isLost({ facts }: Run, { ending }: RecordInHistory): boolean {
  return (
    ending === 'terminated' && facts.some((fact) => fact.is === 'scheduled' && fact.activity === 'deliver')
  );
}

/** Undefined if it has another form than the service writes. That is a finding. */
function snapshotIn({ snapshot }: RoundDocument): RoundSnapshot | undefined {
  const { identity, transactions } = Object(parsed(snapshot)) as Partial<RoundSnapshot>;
  const isWhole = typeof identity === 'object' && Array.isArray(transactions);
  return isWhole ? (parsed(snapshot) as RoundSnapshot) : undefined;
}
