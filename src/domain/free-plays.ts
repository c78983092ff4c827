import { isAmount } from './money';
import { isLine } from './texts';
import type { WalletBalance } from './wallet-call';

/** The free plays that a player has left in one ticket; `stake` in minor units (docs/interface#free-play-objects). */
export interface FreePlay {
  currency: string;
  stake: number;
  count: number;
  feature: string;
  serial: string;
}

/**
 * The usable free plays of a balance, in the operator's order: those with a serial, a stake and at least one play left, each
 * serial once. The balance's `tickets` contain the operator's `tickets` and `freePlays`.
 * @param currency returns only free plays in this currency
 */
export function freePlaysAvailable(balance: WalletBalance | undefined, currency?: string): FreePlay[] {
  const bySerial = new Map<string, FreePlay>();
  for (const play of (balance?.tickets ?? []).flatMap(freePlayIn)) {
    const isAsked = currency === undefined || play.currency === currency;
    if (isAsked && !bySerial.has(play.serial)) bySerial.set(play.serial, play);
  }
  return [...bySerial.values()];
}

/**
 * Chooses the free play for a bet. The choice does not depend on the order of the list: lowest stake first, then fewest
 * plays left (so that one ticket is used up before the next), then the first serial.
 * @param stake minor units; absent: any
 */
export function chooseFreePlay(plays: readonly FreePlay[], stake: number | undefined): FreePlay | undefined {
  const [chosen] = plays
    .filter((play) => stake === undefined || play.stake === stake)
    .sort(
      (left, right) =>
        left.stake - right.stake || left.count - right.count || (left.serial < right.serial ? -1 : 1),
    );
  return chosen;
}

/** The tickets after one free play with this serial. A ticket without plays left is removed. */
export function withoutPlay(
  tickets: readonly Record<string, unknown>[],
  serial: string,
): Record<string, unknown>[] {
  return tickets.flatMap((ticket) => {
    if (ticket.serial !== serial || !isAmount(ticket.count)) return [ticket];
    return ticket.count > 1 ? [{ ...ticket, count: ticket.count - 1 }] : [];
  });
}

function freePlayIn({ currency, stake, count, feature, serial }: Record<string, unknown>): FreePlay[] {
  if (!isLine(serial) || !isLine(currency) || !isAmount(stake)) return [];
  if (!isAmount(count) || count === 0) return [];
  return [{ currency, stake, count, feature: isLine(feature) ? feature : '', serial }];
}
