import { isAmount } from './money';
import { isLine } from './texts';
import type { WalletBalance } from './wallet-call';

/** Free plays a player has left under one ticket; `stake` in minor units (docs/interface#free-play-objects). */
export interface FreePlay {
  currency: string;
  stake: number;
  count: number;
  feature: string;
  serial: string;
}

/**
 * The free plays in a balance (its `tickets`, in which the operator's `tickets` and `freePlays` are together): those
 * that can be used, so with a serial, a stake and at least one left; each serial once, in the operator's order.
 * @param currency only those of this currency
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
 * The free play that a bet uses. Where several fit, the same one is chosen whatever their order: the lowest stake (when
 * none is asked for), of these the one with the fewest left, so that a ticket is used up before the next is begun, of
 * these the first serial.
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

/** The tickets after a free play of that serial: one less of it, and a ticket that is used up is gone. */
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
