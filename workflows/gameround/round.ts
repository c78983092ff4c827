import { log, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { AMOUNT_AT_RISK, GAMEROUND_ATTENTION, WAITING_SINCE } from '../../src/contracts/search-attributes';
import { majorUnits } from '../../src/domain/money';
import { amountAtRisk, marksOf } from '../../src/domain/round/marks';
import { holdsGuard } from '../../src/domain/round/replies';
import type { Mark, RoundState } from '../../src/domain/round/types';
import { detailsText } from './texts';

/** The mutable state of a round's workflow. Only the rules of src/domain change `state`. */
export interface Round {
  state: RoundState;
  /** Another round holds the open-round guard, so this round ends without a debit. */
  guardLost: boolean;
  /** An earlier run that a reset made, and that has continued as this one. */
  resetRun: string | undefined;
  /** The current command found that the record is ahead (src/domain/round/restored.ts), so it is refused. */
  takenOver: boolean;
}

export function nowIso(): string {
  return new Date(Date.now()).toISOString();
}

/** The start time of the workflow. It is the same after a restart of the first task, so the bet keeps its timestamp. */
export function startedAt(): string {
  return workflowInfo().startTime.toISOString();
}

/** Whether the player can go on with this round. */
export function isActive({ state, guardLost }: Round): boolean {
  return holdsGuard(state) && !guardLost;
}

/**
 * Updates the search attributes and the details of the workflow, which people see in Temporal Web, and logs each mark that
 * is set or removed. With `always` the task leaves an event in the history even if nothing has changed.
 */
export type Publish = (always?: 'always') => void;

export function publisher(round: Round): Publish {
  let shown = '';
  /** The length of the history when the attributes were last written. */
  let writtenAt = 0;
  // After continue-as-new, the marks of the previous run are already logged.
  let logged: readonly Mark[] = marksOf(round.state);
  return (always) => {
    const { state } = round;
    const marks = marksOf(state);
    logChange(state, logged, marks);
    logged = marks;
    const isMarked = marks.length > 0;
    const { historyLength, typedSearchAttributes } = workflowInfo();
    const since = isMarked ? (typedSearchAttributes.get(WAITING_SINCE) ?? new Date(Date.now())) : undefined;
    const atRisk = isMarked ? majorUnits(amountAtRisk(state), state.identity.currency) : undefined;
    const text = isMarked ? `${marks.join(',')} ${atRisk}` : '';
    if (text !== shown || (always && historyLength !== writtenAt)) {
      upsertSearchAttributes([
        { key: GAMEROUND_ATTENTION, value: isMarked ? marks : null },
        { key: AMOUNT_AT_RISK, value: atRisk ?? null },
        { key: WAITING_SINCE, value: since ?? null },
      ]);
      shown = text;
      writtenAt = historyLength;
    }
    setCurrentDetails(detailsText(state, marks, since));
  };
}

function logChange(
  { identity: { gameround, operatorId } }: RoundState,
  before: readonly Mark[],
  after: readonly Mark[],
): void {
  for (const mark of after.filter((one) => !before.includes(one)))
    log.warn('a round waits', { mark, gameround, operatorId });
  for (const mark of before.filter((one) => !after.includes(one)))
    log.warn('a round waits no more', { mark, gameround, operatorId });
}
