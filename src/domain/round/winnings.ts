import { addAmounts } from '../money';
import type { GameStateEntry, RoundState, RoundTransaction } from './types';

/** Credits that the operator has accepted, in their order. */
export function acceptedCredits({ transactions }: Pick<RoundState, 'transactions'>): RoundTransaction[] {
  return transactions.filter(({ type, outcome }) => type === 'credit' && outcome === 'accepted');
}

/** Brings amountToCollect and the entries' `collected` in line with the credits that were accepted. */
export function recomputeOpenWinnings(state: RoundState): RoundState {
  const gameState = applyCredits(state.gameState, acceptedCredits(state));
  const amountToCollect = gameState.reduce((sum, entry) => sum + entry.result.winAmount - entry.collected, 0);
  return { ...state, gameState, amountToCollect };
}

/** How much of each win the credits have collected, oldest win first, and by which command it was touched last. */
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

/** Everything won in the round with this win added; undefined where the sum is out of range. */
export function totalWonWith(state: RoundState, winAmount: number): number | undefined {
  return addAmounts(totalWon(state), winAmount);
}

/** Everything won in the round, collected or not. */
export function totalWon({ gameState }: Pick<RoundState, 'gameState'>): number {
  return gameState.reduce((sum, { result }) => sum + result.winAmount, 0);
}

/** Stake of a round: of every debit that was accepted. */
export function stakeOf({ transactions }: RoundState): number {
  return transactions
    .filter(({ type, outcome }) => type === 'debit' && outcome === 'accepted')
    .reduce((sum, { amount, freePlayStake }) => sum + (amount ?? freePlayStake ?? 0), 0);
}
