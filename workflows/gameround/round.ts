import { log, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { GAMEROUND_ATTENTION } from '../../src/contracts/search-attributes';
import { attentionOf } from '../../src/domain/round/attention';
import { holdsGuard } from '../../src/domain/round/replies';
import type { Attention, PendingCall, RoundState } from '../../src/domain/round/types';

/** The mutable state of a round's workflow. Only the rules of src/domain change `state`. */
export interface Round {
  state: RoundState;
  /** Another round holds the open-round guard, so this round ends without a debit. */
  guardLost: boolean;
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
 * Updates the search attribute and the details of the workflow, which people see in Temporal Web, and logs each mark that
 * is set or removed. With `always` it leaves an event in the history even if no mark has changed.
 */
export type Publish = (always?: 'always') => void;

export function publisher(round: Round): Publish {
  let shown = '';
  // After continue-as-new, the marks of the previous run are already logged.
  let logged: readonly Attention[] = attentionOf(round.state);
  return (always) => {
    const { state } = round;
    const attention = attentionOf(state);
    const text = attention.join(',');
    logChange(state, logged, attention);
    logged = attention;
    if (text !== shown || always) {
      upsertSearchAttributes([
        { key: GAMEROUND_ATTENTION, value: attention.length === 0 ? null : attention },
      ]);
      shown = text;
    }
    setCurrentDetails(describe(state, text));
  };
}

function logChange(
  { identity: { gameround, operatorId } }: RoundState,
  before: readonly Attention[],
  after: readonly Attention[],
): void {
  for (const mark of after.filter((one) => !before.includes(one)))
    log.warn('a round waits', { mark, gameround, operatorId });
  for (const mark of before.filter((one) => !after.includes(one)))
    log.warn('a round waits no more', { mark, gameround, operatorId });
}

const DOING: Record<PendingCall['progress'], string> = {
  'first-delivery': 'sending',
  retrying: 'retrying',
  'awaiting-operator': 'waiting to be resumed:',
};

function describe(state: RoundState, attention: string): string {
  const { identity, pending } = state;
  return [
    `**${state.status}${state.crashed ? ', crashed' : ''}**: stake ${state.stake}, open winnings ${state.amountToCollect} ${identity.currency}`,
    ...(attention === '' ? [] : [`attention: ${attention}`]),
    ...(pending === undefined
      ? []
      : [`${DOING[pending.progress]} ${pending.transactions.map(({ type }) => type).join(', ')}`]),
  ].join('\n\n');
}
