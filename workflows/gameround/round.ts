import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { GAMEROUND_ATTENTION } from '../../src/contracts/search-attributes';
import { attentionOf } from '../../src/domain/round/attention';
import type { RoundState } from '../../src/domain/round/types';

/** The one mutable place of a round's workflow: its state, changed only by the rules of src/domain. */
export interface Round {
  state: RoundState;
  /** Another round holds the open-round guard: this one ends without a debit. */
  guardLost: boolean;
  /** While the command under way found that the record is ahead (src/domain/round/restored.ts): it is refused. */
  takenOver: boolean;
}

export function now(): string {
  return new Date(Date.now()).toISOString();
}

/** The same however often the first task is begun anew: the bet's timestamp must be what was sent the first time. */
export function startedAt(): string {
  return workflowInfo().startTime.toISOString();
}

/** Open and not crashed: the player's game goes on. */
export function isActive(round: Round): boolean {
  return round.state.status === 'open' && !round.state.crashed && !round.guardLost;
}

/** Nothing is left to be sent to the wallet. */
export function isSettled(round: Round): boolean {
  return round.state.pending === undefined && round.state.voidsToCome.length === 0;
}

/** Shows on the workflow, for people, how the round stands. */
export function publisher(round: Round): () => void {
  let shown = '';
  return () => {
    const { state } = round;
    const attention = attentionOf(state);
    const text = attention.join(',');
    if (text !== shown) {
      upsertSearchAttributes([
        { key: GAMEROUND_ATTENTION, value: attention.length === 0 ? null : attention },
      ]);
      shown = text;
    }
    setCurrentDetails(describe(state, text));
  };
}

function describe(state: RoundState, attention: string): string {
  const { identity, pending } = state;
  return [
    `**${state.status}${state.crashed ? ', crashed' : ''}**: stake ${state.stake}, open winnings ${state.amountToCollect} ${identity.currency}`,
    ...(attention === '' ? [] : [`attention: ${attention}`]),
    ...(pending === undefined
      ? []
      : [
          `${pending.stalled ? 'retrying' : 'sending'} ${pending.transactions.map(({ type }) => type).join(', ')}`,
        ]),
  ].join('\n\n');
}
