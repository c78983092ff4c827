import { z } from 'zod';
import type { Balance, Discount, Ticket } from './ledger-types';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Lower case for a UUID, since capitals mean the same id. */
export function normalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/* The request bodies that this operator accepts: exactly those of docs/interface/operator-api.md. */

/** The longest identifier of the interface is a UUID. This limit only keeps very long texts out of the ledger. */
const MAX_ID = 128;
/** The most transactions of one call. A reconciliation sends all transactions of a long round again. */
const MAX_TRANSACTIONS = 20_000;

/** Refuses control characters, and `#`, which joins the signed fields. */
const identifier = z
  .string()
  .min(1)
  .max(MAX_ID)
  .regex(/^[^#\p{Cc}]+$/u);
const currencyCode = z.string().regex(/^[A-Z0-9]{3,8}$/);
const amountMinor = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const money = { currency: currencyCode, hash: identifier };
const told = {
  timestamp: z.iso.datetime({ offset: true }).optional(),
  reason: z.string().max(1_000).optional(),
};

/** An end, a void and a debit with a ticket's `serial` have no `amount` (docs/interface#operator-transaction). */
const transaction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('debit'),
    ...money,
    ...told,
    isFirstDebit: z.boolean(),
    amount: amountMinor.optional(),
    serial: identifier.optional(),
  }),
  z.object({ type: z.literal('credit'), ...money, ...told, amount: amountMinor }),
  z.object({
    type: z.literal('end'),
    hash: identifier,
    currency: currencyCode.optional(),
    ...told,
    amount: z.undefined().optional(),
  }),
  z.object({
    type: z.literal('void'),
    hash: identifier,
    currency: currencyCode.optional(),
    ...told,
    amount: z.undefined().optional(),
  }),
]);

export const doTransactionsBody = z.object({
  playerId: identifier,
  gameCode: identifier,
  gameRound: identifier,
  transactions: z.array(transaction).min(1).max(MAX_TRANSACTIONS),
  transactionCount: z.int(),
});

export const getBalanceQuery = z.object({
  playerId: identifier,
  currency: currencyCode,
  gameCode: identifier.optional(),
  externalSessionId: z.string().max(MAX_ID).optional(),
});

export const doGameRoundReportBody = z.object({
  gameRoundDetail: z.looseObject({ hash: identifier, player: identifier, status: z.string() }),
});
export type GameRoundDetail = z.output<typeof doGameRoundReportBody>['gameRoundDetail'];

export const playerBody = z.strictObject({
  currency: currencyCode.default('EUR'),
  balance: amountMinor.optional(),
  bonus: amountMinor.optional(),
});

export const ticketBody = z.strictObject({
  playerId: identifier,
  gameCode: identifier,
  currency: currencyCode,
  stake: amountMinor,
  count: z.int().min(1).max(1_000_000),
  serial: identifier.optional(),
  price: amountMinor.default(0),
  feature: z.string().max(MAX_ID).default(''),
  listedAs: z.enum(['tickets', 'freePlays']).default('tickets'),
});

export const discountBody = z.strictObject({
  playerId: identifier,
  currency: currencyCode,
  campaignId: identifier.optional(),
  text: z.string().max(1_000).default('Discounted spins'),
  discounts: z
    .array(
      z.strictObject({
        stake: amountMinor,
        absoluteDiscountAmount: amountMinor,
        spinsRemaining: z.int().min(1).max(1_000_000),
      }),
    )
    .min(1)
    .max(100),
  validFrom: z.iso.datetime({ offset: true }).optional(),
  validTo: z.iso.datetime({ offset: true }).optional(),
});

export const launchQuery = z.object({
  operatorId: identifier.optional(),
  playerId: identifier.optional(),
  currency: currencyCode.default('EUR'),
  language: z.string().max(16).default('en'),
  mode: z.string().max(16).default('real'),
  gameCode: identifier.default('demo-slot'),
  gameround: identifier.optional(),
  gameRound: identifier.optional(),
  profile: z.string().max(1_000).optional(),
  redirect: z.string().optional(),
});

type ShownTicket = Omit<Ticket, 'playerId' | 'gameCode' | 'listedAs'>;

export interface BalanceReply {
  balances: { type: string; amount: number; currency: string }[];
  discountInfo?: Omit<Discount, 'playerId'>;
  useBonusFirst?: boolean;
  tickets?: ShownTicket[];
  freePlays?: ShownTicket[];
}

/** One balance, or two if there is bonus money. Then `useBonusFirst` says which one is used first. */
export function balanceReply(currency: string, { real, bonus }: Balance, discount?: Discount): BalanceReply {
  const reply: BalanceReply = { balances: [{ type: 'real', amount: real, currency }] };
  if (bonus > 0) {
    reply.balances.push({ type: 'bonus', amount: bonus, currency });
    reply.useBonusFirst = true;
  }
  if (discount !== undefined) {
    const { playerId: _, ...shown } = discount;
    reply.discountInfo = shown;
  }
  return reply;
}

/** The tickets that the player can use in the game, each in the list of its `listedAs`. */
export function grantsReply(tickets: readonly Ticket[]): Pick<BalanceReply, 'tickets' | 'freePlays'> {
  const listed = (list: Ticket['listedAs']): ShownTicket[] =>
    tickets
      .filter(({ listedAs }) => listedAs === list)
      .map(({ count, stake, currency, price, feature, serial }) => ({
        count,
        stake,
        currency,
        price,
        feature,
        serial,
      }));
  const [asTickets, asFreePlays] = [listed('tickets'), listed('freePlays')];
  if (asFreePlays.length === 0) return { tickets: asTickets };
  return asTickets.length === 0 ? { freePlays: asFreePlays } : { tickets: asTickets, freePlays: asFreePlays };
}
