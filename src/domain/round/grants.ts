import { withoutSpin } from '../discounts';
import { withoutPlay } from '../free-plays';
import type { Grants } from '../wallet-call';
import type { RoundState } from './types';

/**
 * The player's discounts and tickets after a command that uses one of them or gives it back. They are calculated here, since
 * wallets return balances with a bet but seldom discounts and tickets. Undefined if the command changes nothing.
 */
export function grantsAfter(state: RoundState, key: string): Grants | undefined {
  const { grants, ticket, transactions } = state;
  if (grants === undefined) return undefined;
  if (state.status === 'cancel') return grants;
  if (key !== 'start') return undefined;
  const bet = transactions.find(({ isFirstDebit }) => isFirstDebit === true);
  if (bet?.outcome !== 'accepted') return grants;
  if (ticket !== undefined) return { tickets: withoutPlay(grants.tickets ?? [], ticket.serial) };
  return { discountInfo: withoutSpin(grants.discountInfo, bet.amount ?? 0) };
}
