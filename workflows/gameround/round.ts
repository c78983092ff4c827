import { log, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { GAMEROUND_ATTENTION } from '../../src/contracts/search-attributes';
import { attentionOf } from '../../src/domain/round/attention';
import { holdsGuard } from '../../src/domain/round/replies';
import type { Attention, PendingCall, RoundState } from '../../src/domain/round/types';

/** The one mutable place of a round's workflow: its state, changed only by the rules of src/domain. */
export interface Round {
  state: RoundState;
  /** Another round holds the open-round guard: this one ends without a debit. */
  guardLost: boolean;
  /** While the command under way found that the record is ahead (src/domain/round/restored.ts): it is refused. */
  takenOver: boolean;
}

export function nowIso(): string {
  return new Date(Date.now()).toISOString();
}

/** The same however often the first task is begun anew: the bet's timestamp must be what was sent the first time. */
export function startedAt(): string {
  return workflowInfo().startTime.toISOString();
}

/** The player's game goes on. */
export function isActive({ state, guardLost }: Round): boolean {
  return holdsGuard(state) && !guardLost;
}

/**
 * Shows on the workflow, for people, how the round stands, and writes a line to the log when a mark comes or goes. With
 * `always` it leaves an event in the history also where no mark has changed.
 */
export type Publish = (always?: 'always') => void;

export function publisher(round: Round): Publish {
  let shown = '';
  // A round that goes on in a new run had its lines before.
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
