import { setTimeout as sleep } from 'node:timers/promises';
import { workflowIdOf } from '../../src/contracts/gameround';
import {
  askRunning,
  callsOf,
  each,
  workflowsOf,
  type RoundEvidence,
  type WalletCall,
  recordsOf,
} from '../evidence';
import { readHistory } from '../history';
import type { Stack } from '../stack';
import { OPERATORS } from '../tenants';
import type { Checked, Violation } from './check';
import { movedSince } from './restored';

/** The facts that decide which marks a round should have. They come from the server, not from the round's own marks. */
export interface Waiting {
  /** Activities that are scheduled or running now. `forMs`: time since they were scheduled first. */
  pending: { name: string; forMs: number }[];
  openForMs: number;
  /** Temporal was restored, and the record is newer than the restored workflow. */
  isAhead?: boolean;
}

const AFTERWARDS_LATE_MS = 60_000;
const PROJECTION_LATE_MS = 2_000;
/** Tolerance around a due time. Within it, a mark may be there or not. */
const BAND_MS = 4_000;

/** Marks that have to be there, and marks that may be there, because times are not exact. */
export function expectedMarks(
  round: RoundEvidence,
  { pending, openForMs, isAhead }: Waiting,
): { must: string[]; may: string[] } {
  const { state, operator } = round;
  const must = new Set<string>();
  const may = new Set<string>();
  const overdue = (name: string, mark: string, lateMs: number): void => {
    const longest = Math.max(...pending.filter((one) => one.name === name).map(({ forMs }) => forMs));
    if (longest > lateMs + BAND_MS) must.add(mark);
    else if (longest > lateMs - BAND_MS) may.add(mark);
  };
  if (state?.crashed === true) must.add('crashed');
  const kind = owes(round, 'void') ? 'void' : 'credit';
  const isSending = pending.some(({ name }) => name === 'deliverUntilDefinite');
  if (isSending) must.add(`${kind}-pending`);
  else if (owes(round, 'void') && refusedVoid(round.calls)) must.add('void-refused');
  else if (!state?.crashed && owesCredit(round) && refusedCredit(round.calls))
    must.add('credit-unauthorised');
  overdue('report', 'report-pending', AFTERWARDS_LATE_MS);
  overdue('fetchResult', 'result-pending', AFTERWARDS_LATE_MS);
  overdue('project', 'projection-pending', PROJECTION_LATE_MS);
  const closeMs = operator?.autoCloseAfterMs ?? Number.POSITIVE_INFINITY;
  // While the provider is being asked (up to 35 s), the round does not have this mark yet.
  const isWaiting =
    state?.status === 'open' && !state.crashed && !pending.some(({ name }) => name === 'autoClose');
  if (isWaiting && openForMs > 2 * closeMs + BAND_MS) must.add('auto-close-failing');
  else if (openForMs > 2 * closeMs - BAND_MS) may.add('auto-close-failing');
  if (isAhead) {
    // The round finds out when it gets its next command.
    may.add('restored');
    // Until then the record shows the marks of the lost run.
    for (const mark of ['credit-pending', 'credit-unauthorised', 'void-pending', 'void-refused'])
      may.add(mark);
  }
  if (answeredVoid(round.calls, 400)) may.add('void-unconfirmed');
  return { must: [...must], may: [...may] };
}

function owes({ state }: RoundEvidence, type: string): boolean {
  return (state?.transactions ?? []).some((one) => one.type === type && one.outcome === 'pending');
}

function owesCredit(round: RoundEvidence): boolean {
  return owes(round, 'credit') || owes(round, 'end');
}

/** The operator refused our signature (401) on a call with only wins and ends, and the sender got the response. */
function refusedCredit(calls: readonly WalletCall[]): boolean {
  return calls.some(
    ({ status, clientLeft, body }) =>
      status === 401 &&
      clientLeft === undefined &&
      body.transactions.every(({ type }) => type === 'credit' || type === 'end'),
  );
}

/**
 * The operator refused our signature (401) on a void, and the sender got the response. Any void counts, not only the
 * newest call: a call of a dead worker may reach the operator last, and nobody gets its response.
 */
function refusedVoid(calls: readonly WalletCall[]): boolean {
  return voidsOf(calls).some(({ status, clientLeft }) => status === 401 && clientLeft === undefined);
}

function answeredVoid(calls: readonly WalletCall[], status: number): boolean {
  return voidsOf(calls)[0]?.status === status;
}

function voidsOf(calls: readonly WalletCall[]): WalletCall[] {
  return calls.filter(({ body }) => body.transactions.length === 1 && body.transactions[0]?.type === 'void');
}

/** The errors in the marks that `where` shows. */
export function wrongMarks(
  where: string,
  shown: readonly string[],
  { must, may }: { must: readonly string[]; may: readonly string[] },
): string[] {
  return [
    ...must.filter((mark) => !shown.includes(mark)).map((mark) => `${where} lacks ${mark}`),
    ...shown
      .filter((mark) => !must.includes(mark) && !may.includes(mark))
      .map((mark) => `${where} shows ${mark} for no reason`),
  ];
}

const SETTLE_MS = 60_000;
const EVERY_MS = 500;

/**
 * I8: a round that waits too long is marked on the workflow and on the record, and no other round is marked. A mark may
 * come a little late, so the check repeats until everything is right or the time is up.
 */
export async function marksAreRight(stack: Stack, id: string, when: string, minMarked = 0): Promise<Checked> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const checked = await look(stack, id);
    const isDone = checked.violations.length === 0 && checked.marked >= minMarked;
    if (isDone || Date.now() > deadline) {
      const promise = `rounds that wait too long are marked, no others; ${when} (${checked.marked} marked)`;
      const few =
        checked.marked < minMarked ? [{ what: `only ${checked.marked} rounds are marked at all` }] : [];
      return { id, promise, examined: checked.examined, violations: [...checked.violations, ...few] };
    }
    await sleep(EVERY_MS);
  }
}

async function look(
  stack: Stack,
  id: string,
): Promise<{ examined: number; marked: number; violations: Violation[] }> {
  const [workflows, calls, records] = await Promise.all([
    workflowsOf(stack),
    callsOf(stack),
    recordsOf(stack),
  ]);
  const recordOf = new Map(records.map((record) => [record._id, record]));
  const seen = { id, examined: 0, marked: 0, violations: [] as Violation[] };
  await each([...workflows], async ([gameround, workflow]) => {
    const record = recordOf.get(gameround);
    const operator = OPERATORS.find(({ operatorId }) => operatorId === record?.operator);
    const round: RoundEvidence = {
      ...{ gameround, operator, record, workflow, movements: [] },
      calls: calls.get(gameround) ?? [],
    };
    const isRunning = workflow.status === 'RUNNING';
    const waiting = isRunning ? await waitingOf(stack, round).catch(String) : { pending: [], openForMs: 0 };
    if (typeof waiting === 'string') {
      seen.violations.push({ gameround, what: `its state can't be read: ${waiting}` });
      return;
    }
    // A round without a record has not begun yet.
    if (record === undefined) return;
    const isAhead = movedSince(stack.restores, gameround).length > 0;
    const expected = expectedMarks(round, { ...waiting, isAhead });
    const wrong = [
      ...wrongMarks('the workflow', workflow.attention, expected),
      ...wrongMarks('the record', record.attention, expected),
    ];
    seen.examined += 1;
    if (record.attention.length > 0) seen.marked += 1;
    for (const what of wrong) seen.violations.push({ gameround, what });
  });
  return seen;
}

async function waitingOf(stack: Stack, round: RoundEvidence): Promise<Waiting> {
  const handle = stack.temporal.workflow.getHandle(workflowIdOf(round.gameround));
  const { raw } = await handle.describe();
  round.state = await askRunning(stack, round.gameround);
  const pending = raw.pendingActivities ?? [];
  // The server only gives the time of the newest attempt. The history has the time of the first scheduling.
  const { scheduledAt } =
    pending.length === 0
      ? { scheduledAt: new Map<string, number>() }
      : readHistory(await handle.fetchHistory());
  const now = Date.now();
  return {
    pending: pending.map(({ activityId, activityType }) => ({
      name: activityType?.name ?? '',
      forMs: now - (scheduledAt.get(activityId ?? '') ?? now),
    })),
    openForMs: now - Date.parse(round.state.openedAt),
  };
}
