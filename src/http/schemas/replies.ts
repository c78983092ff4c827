import { z } from 'zod';
import { MAX_REPLY_ENTRIES } from '../../domain/round/replies';

/*
 * Replies of the game-engine API (docs/interface/objects.md). `GET /openapi.json` is made from these schemas, and the tests
 * check every reply against them. The service does not validate its replies at run time.
 */

export const text = z.string();
export const freeForm = z.record(z.string(), z.string());
/** An amount that the service makes: never negative. A balance is a plain number, since an operator may send a negative one. */
export const money = z.int().min(0).meta({ description: 'Minor units.' });
export const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC.' });
const number = z.number();

export const errorObject = z
  .object({ id: z.int(), msg: text, clientmsg: text.meta({ description: 'A text for the player.' }) })
  .meta({
    description: 'Error object. `msg` begins with the error’s name. An operator’s errors are passed through.',
  });

export const errorReply = z.object({ errorCode: errorObject });

export const unauthenticatedReply = errorReply.extend({
  hint: text.exactOptional().meta({
    description:
      'Only with SIGNATURE_HINTS (by default if ENVIRONMENT is `local` or `staging`): the part of the authentication that is wrong. If the signature was checked, also the string to sign, with `<secret>` in place of the secret.',
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

/** Passed through as the operator sent it, so every field is optional and unknown fields are allowed. */
export const discountInfo = z.looseObject({
  text: text.exactOptional(),
  currency: text.exactOptional(),
  discounts: z
    .array(
      z.looseObject({
        stake: number.exactOptional(),
        absoluteDiscountAmount: number.exactOptional(),
        spinsRemaining: number.exactOptional(),
      }),
    )
    .exactOptional(),
  campaignId: text.exactOptional(),
  validFrom: text.exactOptional(),
  validTo: text.exactOptional(),
});

export const ticket = z.looseObject({
  count: number.exactOptional(),
  stake: number.exactOptional(),
  currency: text.exactOptional(),
  price: number.exactOptional(),
  feature: text.exactOptional(),
  serial: text.exactOptional(),
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
  discountInfo: discountInfo.exactOptional(),
  tickets: z.array(ticket).exactOptional(),
  ticketInfo: freePlayInfo.exactOptional(),
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
  own: freeForm.exactOptional().meta({
    description:
      'Entries of the service (such as `rngCallId`) that are not in `info`, because the provider’s data uses their names.',
  }),
  amountWagered: money,
  collected: money,
  reason: text,
});

/** docs/interface#record-transaction */
export const recordTransaction = z.object({
  type: z.enum(['debit', 'credit', 'end', 'void']),
  isFirstDebit: z.boolean().exactOptional(),
  amount: money.exactOptional(),
  discountAmount: money.exactOptional(),
  discountCampaignId: text.exactOptional(),
  currency: text,
  hash: text,
  timestamp: instant,
  reason: text.exactOptional(),
  freePlayStake: money.exactOptional(),
  freePlayUsed: z.boolean().exactOptional(),
  serial: text.exactOptional(),
});

export const gameReply = z
  .object({
    tokenData,
    balance: balance.exactOptional(),
    gameRoundInfo,
    commonGameRoundInfo: freeForm,
    gameState: z.array(gameStateEntry).meta({
      description: `The newest ${MAX_REPLY_ENTRIES} entries. getGameRoundInfo and getGameRoundHistoryInfo return all entries.`,
    }),
    amountToCollect: money.meta({ description: 'Open winnings that are not collected; minor units.' }),
    amountCredited: money.meta({ description: 'Credited by this call; minor units.' }),
    freePlayInfo: freePlayInfo.exactOptional(),
    freePlaysAvailable: z.array(freePlay),
    passThroughData: freeForm,
    promoWinInfo: z.object({ referenceId: text }).exactOptional(),
  })
  .meta({ description: 'The game reply: the round, the balance, and the effect of the call.' });

export const spinCounterReply = gameReply.extend({ spinsAvailable: number });
export const historyReply = gameReply.extend({ protectedInfo: freeForm });
export const roundInfoReply = gameReply.extend({
  totalWinAmount: money.meta({ description: 'Won in the round, collected or not; minor units.' }),
  transactions: z.array(recordTransaction),
});

/** A refusal by a round has the state of the round. Any other refusal has errorCode only. */
export const refusedGameReply = spinCounterReply.partial().extend({ errorCode: errorObject });

export const tokenDataReply = z.object({ tokenData });
export const uncollectedReply = z.object({ tokenData, amountToCollect: money });
export const availableSpinsReply = uncollectedReply.extend({ spinsAvailable: number });
export const randomReply = z.object({ tokenData, values: z.array(number), rngRequestId: text });
export const testPingReply = z
  .object({
    testData: z.unknown(),
    seen: z
      .object({
        id: text.meta({ description: 'X-H-AUTH-ID.' }),
        bytes: z.int().meta({ description: 'The size of the body.' }),
        signed: text.meta({ description: 'The string that the signature covers.' }),
        ageSeconds: number.meta({ description: 'The service’s clock minus X-H-TIMESTAMP.' }),
      })
      .meta({ description: 'Only with SIGNATURE_HINTS.' }),
  })
  .partial();

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
  crashed: z.literal(true).exactOptional(),
});
export const openRoundsReply = z.object({ gameRoundList: z.array(openRoundItem) });
