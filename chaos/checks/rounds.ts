import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { workflowIdOf } from '../../src/contracts/gameround';
import { askRunning, each, workflowsOf, type Evidence, type RoundEvidence } from '../evidence';
import type { Stack } from '../stack';
import { perRound, type Checked } from './check';
import { movedSince } from './restored';

/** I5, first half: an open record has a running workflow. */
export function nobodyForgotten({ rounds }: Evidence): Checked {
  const promise = 'no record says open without a live workflow';
  return perRound('I5a', promise, rounds.values(), ({ record, workflow }) => {
    if (record === undefined) return undefined;
    const forgotten = record.status === 'open' && workflow?.status !== 'RUNNING';
    return forgotten ? [`the record is open, the workflow ${workflow?.status ?? 'absent'}`] : [];
  });
}

/** Activities that a workflow may still run after its round is over. */
const WORK_AFTER_THE_END = [
  'deliver',
  'deliverUntilDefinite',
  'project',
  'report',
  'fetchResult',
  'autoClose',
];

/** How long a workflow without work may take to end, at its next task. */
const LAST_TASK_MS = 5_000;

/**
 * I5, second half: a workflow that runs after its round is over still has work. The check uses the server's list of
 * pending activities, and runs while a wallet is away, because in the end no such workflow should be left.
 */
export async function nobodyIdle(stack: Stack): Promise<Checked> {
  const running = [...(await workflowsOf(stack))].filter(([, { status }]) => status === 'RUNNING');
  const over: string[] = [];
  await each(running, async ([gameround]) => {
    const state = await askRunning(stack, gameround).catch(() => undefined);
    if (state !== undefined && state.status !== 'open' && !state.attention.includes('void-refused'))
      over.push(gameround);
  });
  const idle = await idleOf(stack, over);
  if (idle.length > 0) await sleep(LAST_TASK_MS);
  return {
    id: 'I5b',
    promise: 'a running workflow whose round is over still has a void, a record or a report to deliver',
    examined: over.length,
    violations: (await idleOf(stack, idle)).map((gameround) => ({
      gameround,
      what: 'over, running, and idle',
    })),
  };
}

async function idleOf(stack: Stack, gamerounds: readonly string[]): Promise<string[]> {
  const idle: string[] = [];
  await each(gamerounds, async (gameround) => {
    const { raw, status } = await stack.temporal.workflow.getHandle(workflowIdOf(gameround)).describe();
    const pending = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
    if (status.name === 'RUNNING' && !pending.some((name) => WORK_AFTER_THE_END.includes(name)))
      idle.push(gameround);
  });
  return idle;
}

/** I7: the record equals the state of the workflow. */
export function recordIsRound({ sampled, stack }: Evidence): Checked {
  return perRound('I7', 'the record equals the state of the workflow', sampled, (round) => {
    const { state, record, history } = round;
    if (state === undefined) return undefined;
    if (record === undefined) return ['there is no record'];
    // The record is ahead since Temporal was restored, and the workflow has not written a newer version since.
    const isAhead = movedSince(stack.restores, round.gameround).length > 0;
    if (isAhead && record.version > (history?.version ?? 0)) return undefined;
    const {
      phase: _phase,
      refusals: _refusals,
      version: _version,
      ownVersions: _ownVersions,
      ...snapshot
    } = state;
    const [written, told] = [plain(record.snapshot), plain(snapshot)];
    const wrong = differences(written, told).map(
      (what) => `differs in ${what}: ${JSON.stringify(written[what])}, but ${JSON.stringify(told[what])}`,
    );
    // If two writes have the same content, the older one must still not come last.
    const newest = history?.version ?? 0;
    if (newest > record.version) wrong.push(`has version ${record.version}, but ${newest} was written`);
    return wrong;
  });
}

function plain(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

function differences(record: Record<string, unknown>, state: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(record), ...Object.keys(state)]);
  return [...names].filter((name) => !isDeepStrictEqual(record[name], state[name]));
}

/** I5c: every workflow ends by its own rules. */
export function properEnds({ rounds }: Evidence): Checked {
  const promise =
    'every workflow completed, or failed before its round began because it did not get the guard';
  return perRound('I5c', promise, rounds.values(), ({ workflow, record, movements }: RoundEvidence) => {
    if (workflow === undefined) return undefined;
    const { status } = workflow;
    if (status === 'COMPLETED' || status === 'RUNNING') return [];
    const neverWas = status === 'FAILED' && record === undefined && movements.length === 0;
    return neverWas ? [] : [`the workflow is ${status}`];
  });
}

/** The current code can replay the history of every round, also a history that older code wrote. */
export function everyRoundReplays({ sampled }: Evidence): Checked {
  const promise = 'every workflow’s history can be replayed by the code that runs now';
  return perRound('replay', promise, sampled, ({ unreadable }) =>
    unreadable === undefined ? [] : [unreadable],
  );
}
