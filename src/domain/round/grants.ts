import { withoutSpin } from '../discounts';
import { withoutPlay } from '../free-plays';
import type { Grants } from '../wallet-call';
import { debitKeyPrefix } from './keys';
import type { RoundState } from './types';

/**
 * The player's discounts and tickets after a command that uses one of them or gives it back. They are calculated here, since
 * wallets return balances with a bet but seldom discounts and tickets. Undefined if the command changes nothing.
 */
export function grantsAfter(state: RoundState, key: string): Grants | undefined {
  const { grants, ticket, transactions } = state;
  if (grants === undefined) return undefined;
  if (state.status === 'cancel') return grants;
  if (key !== 'start' && !key.startsWith(debitKeyPrefix)) return undefined;
  const bets = transactions.filter(({ type, outcome }) => type === 'debit' && outcome === 'accepted');
  const after = { ...grants };
  if (
    after.tickets !== undefined &&
    ticket !== undefined &&
    bets.some(({ serial }) => serial === ticket.serial)
  )
    after.tickets = withoutPlay(after.tickets, ticket.serial);
  for (const { amount = 0, discountAmount } of bets)
    if (discountAmount !== undefined) after.discountInfo = withoutSpin(after.discountInfo, amount);
  return after;
}
