import { openTransactions, voidedHashes } from './transactions';
import { MARKS, type Mark, type RoundState } from './types';

/** Marks of a round whose wallet call is being retried or waits for a person. It refuses other commands meanwhile. */
export const WAITING_MARKS: readonly Mark[] = [
  'credit-unauthorised',
  'credit-pending',
  'void-refused',
  'void-pending',
];

/** All marks of the round, most urgent first. Empty if nothing waits too long. */
export function marksOf(state: RoundState): Mark[] {
  const found = new Set<Mark>(state.keptMarks);
  if (state.status !== 'open') found.delete('auto-close-failing');
  if (state.crashed) found.add('crashed');
  else found.delete('restored');
  const { pending } = state;
  if (pending?.progress === 'awaiting-operator')
    found.add(pending.purpose === 'void' ? 'void-refused' : 'credit-unauthorised');
  else if (pending?.progress === 'retrying')
    found.add(pending.purpose === 'void' ? 'void-pending' : 'credit-pending');
  return MARKS.filter((mark) => found.has(mark));
}

export function setMark(state: RoundState, mark: Mark, on: boolean): RoundState {
  if (state.keptMarks.includes(mark) === on) return state;
  const keptMarks = on ? [...state.keptMarks, mark] : state.keptMarks.filter((other) => other !== mark);
  return { ...state, keptMarks };
}

/**
 * The money of a round whose fate is not certain while it has a mark, in minor units: winnings that are owed, and bets that
 * are in doubt or not yet given back for certain.
 */
export function amountAtRisk(state: RoundState): number {
  const { transactions, status, amountToCollect, voidsToCome, keptMarks } = state;
  const open = new Set(openTransactions(transactions));
  const voided = keptMarks.includes('void-unconfirmed')
    ? voidedHashes(transactions)
    : voidedHashes(transactions.filter((one) => open.has(one)));
  const bets = transactions.filter(
    (one) =>
      one.type === 'debit' && (open.has(one) || voided.has(one.hash) || voidsToCome.includes(one.hash)),
  );
  const owed = status === 'open' ? amountToCollect : 0;
  return bets.reduce((sum, { amount, freePlayStake }) => sum + (amount ?? freePlayStake ?? 0), owed);
}
