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
  const discounted = bets.filter(({ discountAmount }) => discountAmount !== undefined);
  const isTicketUsed = ticket !== undefined && bets.some(({ serial }) => serial === ticket.serial);
  return {
    ...(grants.tickets === undefined
      ? {}
      : { tickets: isTicketUsed ? withoutPlay(grants.tickets, ticket.serial) : grants.tickets }),
    ...(grants.discountInfo === undefined
      ? {}
      : {
          discountInfo: discounted.reduce(
            (info, { amount = 0 }) => withoutSpin(info, amount),
            grants.discountInfo,
          ),
        }),
  };
}
