import { addAmounts } from '../money';
import type { GameStateEntry, RoundState, RoundTransaction } from './types';

/** Accepted credits, in order. */
export function acceptedCredits({ transactions }: Pick<RoundState, 'transactions'>): RoundTransaction[] {
  return transactions.filter(({ type, outcome }) => type === 'credit' && outcome === 'accepted');
}

/** Recalculates amountToCollect and the entries' `collected` from the accepted credits. */
export function recomputeOpenWinnings(state: RoundState): RoundState {
  const gameState = applyCredits(state.gameState, acceptedCredits(state));
  const amountToCollect = gameState.reduce((sum, entry) => sum + entry.result.winAmount - entry.collected, 0);
  return { ...state, gameState, amountToCollect };
}

/** Sets how much of each win the credits have collected, oldest win first, and the reason of the last credit. */
export function applyCredits(
  entries: readonly GameStateEntry[],
  credits: readonly RoundTransaction[],
): GameStateEntry[] {
  const applied = entries.map((entry) => ({ ...entry, collected: 0, reason: '' }));
  let next = 0;
  for (const { amount = 0, reason = '' } of credits) {
    let left = amount;
    for (; left > 0 && next < applied.length; next += 1) {
      const entry = applied[next]!;
      const taken = Math.min(entry.result.winAmount - entry.collected, left);
      if (taken > 0) Object.assign(entry, { collected: entry.collected + taken, reason });
      left -= taken;
      if (entry.collected < entry.result.winAmount) break;
    }
  }
  return applied;
}

/** The total win of the round plus this win; undefined if the sum is out of range. */
export function totalWonWith(state: RoundState, winAmount: number): number | undefined {
  return addAmounts(totalWon(state), winAmount);
}

/** The total win of the round, collected or not. */
export function totalWon({ gameState }: Pick<RoundState, 'gameState'>): number {
  return gameState.reduce((sum, { result }) => sum + result.winAmount, 0);
}

/** The sum of the stakes of all accepted debits. */
export function stakeOf({ transactions }: RoundState): number {
  return transactions
    .filter(({ type, outcome }) => type === 'debit' && outcome === 'accepted')
    .reduce((sum, { amount, freePlayStake }) => sum + (amount ?? freePlayStake ?? 0), 0);
}
