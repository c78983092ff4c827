import { openTransactions, voidedHashes } from './transactions';
import { ATTENTIONS, type Attention, type RoundState } from './types';

/** Marks of a round whose wallet call is being retried or waits for a person. It refuses other commands meanwhile. */
export const WAITING_MARKS: readonly Attention[] = [
  'credit-unauthorised',
  'credit-pending',
  'void-refused',
  'void-pending',
];

/** The reasons why a person should look at the round, most urgent first. Empty if nothing waits too long. */
export function attentionOf(state: RoundState): Attention[] {
  const found = new Set<Attention>(state.marks);
  if (state.status !== 'open') found.delete('auto-close-failing');
  if (state.crashed) found.add('crashed');
  else found.delete('restored');
  const { pending } = state;
  if (pending?.progress === 'awaiting-operator')
    found.add(pending.purpose === 'void' ? 'void-refused' : 'credit-unauthorised');
  else if (pending?.progress === 'retrying')
    found.add(pending.purpose === 'void' ? 'void-pending' : 'credit-pending');
  return ATTENTIONS.filter((attention) => found.has(attention));
}

export function mark(state: RoundState, attention: Attention, on: boolean): RoundState {
  if (state.marks.includes(attention) === on) return state;
  const marks = on ? [...state.marks, attention] : state.marks.filter((other) => other !== attention);
  return { ...state, marks };
}

/**
 * The money of a round whose fate is not certain while it has a mark, in minor units: winnings that are owed, and bets that
 * are in doubt or not yet given back for certain.
 */
export function amountAtRisk(state: RoundState): number {
  const { transactions, status, amountToCollect, voidsToCome, marks } = state;
  const open = new Set(openTransactions(transactions));
  const voided = marks.includes('void-unconfirmed')
    ? voidedHashes(transactions)
    : voidedHashes(transactions.filter((one) => open.has(one)));
  const bets = transactions.filter(
    (one) =>
      one.type === 'debit' && (open.has(one) || voided.has(one.hash) || voidsToCome.includes(one.hash)),
  );
  const owed = status === 'open' ? amountToCollect : 0;
  return bets.reduce((sum, { amount, freePlayStake }) => sum + (amount ?? freePlayStake ?? 0), owed);
}
