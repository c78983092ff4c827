import { MAX_AMOUNT } from '../domain/money';
import { applyWalletOutcome } from '../domain/round/apply-wallet-outcome';
import type { PendingCall, RoundState } from '../domain/round/types';
import type { WalletBalance, WalletOutcome } from '../domain/wallet-call';

/** The errorCode of a bet that the balance can't pay. The id is an example of an operator's own id. */
export const INSUFFICIENT_FUNDS = {
  id: 5001,
  msg: 'INSUFFICIENTFUNDS',
  clientmsg: 'Your balance is too low.',
};

/**
 * Applies all pending wallet calls of a round to the pretend balance. Each call has a definite outcome at once. The balance is
 * in minor units and never rises above 2^53 - 1.
 */
export function playPending(
  state: RoundState,
  money: { balance: number; currency: string },
  at: string,
): { state: RoundState; balance: number } {
  let { balance } = money;
  let played = state;
  while (played.pending !== undefined) {
    const change = changeBy(played, played.pending);
    const isPaid = balance + change >= 0;
    if (isPaid) balance = Math.min(balance + change, MAX_AMOUNT);
    const outcome: WalletOutcome = isPaid
      ? { kind: 'accepted', balance: walletBalance(balance, money.currency) }
      : { kind: 'declined', unauthorised: false, errorCode: INSUFFICIENT_FUNDS, processed: false };
    played = applyWalletOutcome(played, outcome, at);
  }
  return { state: played, balance };
}

export function walletBalance(amount: number, currency: string): WalletBalance {
  return { balances: [{ type: 'real', amount, currency }] };
}

/** The change of the balance by a call, in minor units. Only a debit is negative. */
function changeBy(state: RoundState, { transactions }: PendingCall): number {
  return transactions.reduce((change, { type, hash, amount = 0 }) => {
    switch (type) {
      case 'debit':
        return change - amount;
      case 'credit':
        return change + amount;
      case 'void':
        return change + takenBy(state, hash);
      case 'end':
        return change;
    }
  }, 0);
}

/** The amount that a void gives back: the amount of its accepted debit. */
function takenBy(state: RoundState, hash: string): number {
  const debit = state.transactions.find(
    (transaction) => transaction.type === 'debit' && transaction.hash === hash,
  );
  return debit?.outcome === 'accepted' ? (debit.amount ?? 0) : 0;
}
