import { isDeepStrictEqual } from 'node:util';
import { workflowIdOf } from '../../src/contracts/gameround';
import type { Evidence, RoundEvidence } from '../evidence';
import { perRound, type Checked } from './check';

/** I5, first half: a record that says open has somebody at work on it. */
export function nobodyForgotten({ rounds }: Evidence): Checked {
  const promise = 'no record says open without a live workflow';
  return perRound('I5a', promise, rounds.values(), ({ record, workflow }) => {
    if (record === undefined) return undefined;
    const forgotten = record.status === 'open' && workflow?.status !== 'RUNNING';
    return forgotten ? [`the record is open, the workflow ${workflow?.status ?? 'absent'}`] : [];
  });
}

/** What a workflow whose round is over may still be about. */
const WORK_AFTER_THE_END = ['deliver', 'settle', 'project', 'report', 'fetchResult', 'autoClose'];

/** I5, second half: a workflow that lives on after its round has something to do. Asked of the server, not of us. */
export async function nobodyIdle({ rounds, stack }: Evidence): Promise<Checked> {
  const checked: Checked = {
    id: 'I5b',
    promise: 'a live workflow whose round is over has a void, a record or a report to bring',
    examined: 0,
    violations: [],
  };
  const running = [...rounds.values()].filter(({ workflow }) => workflow?.status === 'RUNNING');
  for (const round of running) {
    if (round.state === undefined || round.state.status === 'open') continue;
    checked.examined += 1;
    const { raw, status } = await stack.temporal.workflow.getHandle(workflowIdOf(round.gameround)).describe();
    const pending = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
    const parked = round.state.attention.includes('void-refused');
    if (status.name === 'RUNNING' && !parked && !pending.some((name) => WORK_AFTER_THE_END.includes(name)))
      checked.violations.push({
        gameround: round.gameround,
        what: `${round.state.status}, running, and idle`,
      });
  }
  return checked;
}

/** I7: the record is the round as its workflow has it. */
export function recordIsRound({ sampled }: Evidence): Checked {
  return perRound('I7', 'the read model is what the workflow says', sampled, (round) => {
    const { state, record, history } = round;
    if (state === undefined) return undefined;
    if (record === undefined) return ['there is no record'];
    const { phase: _phase, refusals: _refusals, ...snapshot } = state;
    const wrong = differences(plain(record.snapshot), plain(snapshot)).map((what) => `differs in ${what}`);
    // Two writes may say the same; that the older one came last is wrong all the same.
    const newest = history?.version ?? 0;
    if (newest > record.version) wrong.push(`is of version ${record.version}, and ${newest} was written`);
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

/** A round's workflow ended otherwise than by its own rules. */
export function properEnds({ rounds }: Evidence): Checked {
  const promise = 'every round’s workflow completed, or failed for want of the guard before it was a round';
  return perRound('I5c', promise, rounds.values(), ({ workflow, record, movements }: RoundEvidence) => {
    if (workflow === undefined) return undefined;
    const { status } = workflow;
    if (status === 'COMPLETED' || status === 'RUNNING') return [];
    const neverWas = status === 'FAILED' && record === undefined && movements.length === 0;
    return neverWas ? [] : [`the workflow is ${status}`];
  });
}

/** Today's code goes the way again that every round's history tells, whichever code went it first. */
export function everyRoundReplays({ sampled }: Evidence): Checked {
  const promise = 'every workflow’s history can be replayed by the code that runs now';
  return perRound('replay', promise, sampled, ({ unreadable }) =>
    unreadable === undefined ? [] : [unreadable],
  );
}
