import { MAX_AMOUNT } from '../domain/money';
import { applyWalletOutcome } from '../domain/round/apply-wallet-outcome';
import type { PendingCall, RoundState } from '../domain/round/types';
import type { WalletBalance, WalletOutcome } from '../domain/wallet-call';

/** As operators answer a bet that the balance can't pay; the id is one of an operator's own. */
export const INSUFFICIENT_FUNDS = {
  id: 5001,
  msg: 'INSUFFICIENTFUNDS',
  clientmsg: 'Your balance is too low.',
};

/**
 * Carries out all wallet calls that a round has pending, on pretend money: what an operator's wallet would answer, at
 * once, and always definitely. Balance in minor units; a win beyond 2^53 - 1 leaves it there.
 */
export function playPending(
  state: RoundState,
  money: { balance: number; currency: string },
  at: string,
): { state: RoundState; balance: number } {
  let { balance } = money;
  let settled = state;
  while (settled.pending !== undefined) {
    const change = changeBy(settled, settled.pending);
    const isPaid = balance + change >= 0;
    if (isPaid) balance = Math.min(balance + change, MAX_AMOUNT);
    const outcome: WalletOutcome = isPaid
      ? { kind: 'accepted', balance: walletBalance(balance, money.currency) }
      : { kind: 'declined', unauthorised: false, errorCode: INSUFFICIENT_FUNDS, processed: false };
    settled = applyWalletOutcome(settled, outcome, at);
  }
  return { state: settled, balance };
}

export function walletBalance(amount: number, currency: string): WalletBalance {
  return { balances: [{ type: 'real', amount, currency }] };
}

/** What a call does to the balance, minor units: only a debit makes it less. */
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

/** A void gives back what its debit took. */
function takenBy(state: RoundState, hash: string): number {
  const debit = state.transactions.find(
    (transaction) => transaction.type === 'debit' && transaction.hash === hash,
  );
  return debit?.outcome === 'accepted' ? (debit.amount ?? 0) : 0;
}
