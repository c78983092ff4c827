import { z } from 'zod';
import { MAX_REPLY_ENTRIES } from '../../domain/round/replies';

/*
 * Replies of the game-engine API, field by field as docs/interface/objects.md has them. They document (`GET /openapi.json`), and the
 * tests hold every reply to them; nothing is validated by them at run time.
 */

export const text = z.string();
export const freeForm = z.record(z.string(), z.string());
/** What an operator may send negative, a balance, is a number; what we make is an amount. */
export const money = z.int().min(0).meta({ description: 'Minor units.' });
export const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC.' });
const number = z.number();

export const errorObject = z
  .object({ id: z.int(), msg: text, clientmsg: text.meta({ description: 'For the player’s eyes.' }) })
  .meta({
    description: 'Error object. `msg` begins with the error’s name; an operator’s own pass through.',
  });

export const errorReply = z.object({ errorCode: errorObject });

export const unauthenticatedReply = errorReply.extend({
  hint: text.optional().meta({
    description:
      'While ENVIRONMENT is `local` or `staging`: which part of the authentication is wrong and, where the signature was checked, the string that was signed, with `<secret>` in place of the secret.',
  }),
});

export const tokenData = z.object({
  operatorId: text,
  playerId: text,
  gameId: text,
  mode: z.enum(['real', 'demo', 'history']),
  currency: text,
  currentToken: text,
  gameRound: text.meta({ description: 'Hash of the gameround; empty when there is none.' }),
  walletMode: text.meta({ examples: ['seamless'] }),
  language: text,
  currencyMultiplier: number,
  device: text,
  commonDraw: text,
});

/** Passed through as the operator sent them: which fields are there, and of which type, is its affair. */
export const discountInfo = z.looseObject({
  text: text.optional(),
  currency: text.optional(),
  discounts: z
    .array(
      z.looseObject({
        stake: number.optional(),
        absoluteDiscountAmount: number.optional(),
        spinsRemaining: number.optional(),
      }),
    )
    .optional(),
  campaignId: text.optional(),
  validFrom: text.optional(),
  validTo: text.optional(),
});

export const ticket = z.looseObject({
  count: number.optional(),
  stake: number.optional(),
  currency: text.optional(),
  price: number.optional(),
  feature: text.optional(),
  serial: text.optional(),
});

export const freePlayInfo = z.object({
  used: number,
  granted: number,
  won: money,
  isLast: z.boolean(),
  promotions: z.object({ protocolVersion: number, data: text }),
  serial: text,
});

export const freePlay = z.object({
  currency: text,
  stake: money,
  count: number,
  feature: text,
  serial: text,
});

export const balanceItem = z.object({
  type: text.meta({ examples: ['real', 'bonus'] }),
  currency: text,
  amount: number.meta({ description: 'Minor units.' }),
});

export const balance = z.object({
  totalBalance: number.meta({ description: 'Sum of the balances, minor units.' }),
  mode: text,
  currency: text,
  balances: z.array(balanceItem),
  discountInfo: discountInfo.optional(),
  tickets: z.array(ticket).optional(),
  ticketInfo: freePlayInfo.optional(),
});

export const roundStatus = z.enum(['open', 'closed', 'cancel']);

export const gameRoundInfo = z.object({
  hash: text,
  status: roundStatus,
  stake: money,
  baseStake: number.meta({ description: 'The stake before the currency multiplier.' }),
  mode: text,
  currency: text,
  game: text,
  currencyMultiplier: number,
  commonRoundHash: text,
});

export const gameStateEntry = z.object({
  hash: text,
  type: text.meta({ examples: ['debit', 'genericwin', 'spincounter'] }),
  processedOn: instant,
  result: z.object({ winAmount: money, info: freeForm }),
  own: freeForm.optional().meta({
    description: 'Our own entries of `info` (such as `rngCallId`) whose names the provider’s data has.',
  }),
  amountWagered: money,
  collected: money,
  reason: text,
});

/** docs/interface#record-transaction */
export const recordTransaction = z.object({
  type: z.enum(['debit', 'credit', 'end', 'void']),
  isFirstDebit: z.boolean().optional(),
  amount: money.optional(),
  discountAmount: money.optional(),
  discountCampaignId: text.optional(),
  currency: text,
  hash: text,
  timestamp: instant,
  reason: text.optional(),
  freePlayStake: money.optional(),
  freePlayUsed: z.boolean().optional(),
  serial: text.optional(),
});

export const gameReply = z
  .object({
    tokenData,
    balance: balance.optional(),
    gameRoundInfo,
    commonGameRoundInfo: freeForm,
    gameState: z.array(gameStateEntry).meta({
      description: `The newest ${MAX_REPLY_ENTRIES} entries; getGameRoundInfo and getGameRoundHistoryInfo have them all.`,
    }),
    amountToCollect: money.meta({ description: 'Open, uncollected win; minor units.' }),
    amountCredited: money.meta({ description: 'Credited in this call; minor units.' }),
    freePlayInfo: freePlayInfo.optional(),
    freePlaysAvailable: z.array(freePlay),
    passThroughData: freeForm,
    promoWinInfo: z.object({ referenceId: text }).optional(),
  })
  .meta({ description: 'The game reply: the round, the balance and what the call did.' });

export const spinCounterReply = gameReply.extend({ spinsAvailable: number });
export const historyReply = gameReply.extend({ protectedInfo: freeForm });
export const roundInfoReply = gameReply.extend({
  totalWinAmount: money.meta({ description: 'Won in the round, collected or not; minor units.' }),
  transactions: z.array(recordTransaction),
});

/** A refusal that a round answered tells how the round stands; any other carries its errorCode alone. */
export const refusedGameReply = spinCounterReply.partial().extend({ errorCode: errorObject });

export const tokenDataReply = z.object({ tokenData });
export const uncollectedReply = z.object({ tokenData, amountToCollect: money });
export const availableSpinsReply = uncollectedReply.extend({ spinsAvailable: number });
export const randomReply = z.object({ tokenData, values: z.array(number), rngRequestId: text });
export const testPingReply = z.object({ testData: z.unknown() }).partial();

export const lastRoundItem = z.object({
  id: text,
  status: z.literal('closed'),
  timestamp: instant,
  bet: money,
  won: money,
  currency: text,
  gameSpecificDetails: freeForm,
});
export const lastRoundsReply = z.object({ gameRoundList: z.array(lastRoundItem) });

export const openRoundItem = gameRoundInfo.extend({
  timestamp: instant,
  amountToCollect: money,
  crashed: z.literal(true).optional(),
});
export const openRoundsReply = z.object({ gameRoundList: z.array(openRoundItem) });
