import { z } from 'zod';
import { gameRoundDetail, gameSettings, hashProcessed } from './operator-replies';
import { balanceItem, discountInfo, errorObject, instant, money, text, ticket } from './replies';

/* Requests and replies of the calls that the service makes (docs/interface#wallet-calls, #provider-callbacks). */

export const operatorTransaction = z.object({
  type: z.enum(['debit', 'credit', 'end', 'void']),
  isFirstDebit: z.boolean().optional().meta({ description: 'Debits only.' }),
  currency: text,
  hash: text.meta({ description: 'Idempotency key. A void carries the hash of the debit that it voids.' }),
  amount: money
    .optional()
    .meta({ description: 'Minor units. Absent for end, void, and a debit that a ticket pays.' }),
  timestamp: instant,
  reason: text.optional(),
  serial: text.optional().meta({ description: 'The serial of the ticket that pays a debit without amount.' }),
});

export const doTransactions = z.object({
  playerId: text,
  gameCode: text,
  gameRound: text,
  transactions: z.array(operatorTransaction).min(1),
  transactionCount: z.int(),
});

/** `null`, or an object with id 0 and without msg, means that there is no error. */
const noError = errorObject.nullish();

const clientMessage = z.looseObject({
  title: text.optional(),
  msg: text.optional(),
  buttons: z.array(z.looseObject({ label: text.optional(), url: text.optional() })).optional(),
  stopAutoPlay: z.boolean().optional(),
});

/** docs/interface#operator-balance */
export const operatorBalance = z.looseObject({
  balances: z.array(balanceItem).optional(),
  discountInfo: discountInfo.optional(),
  tickets: z.array(ticket).optional(),
  freePlays: z.array(ticket).optional(),
  useBonusFirst: z.boolean().optional(),
  errorCode: noError,
  clientMessage: clientMessage.optional(),
});
export const doTransactionsReply = operatorBalance.extend({
  hashesProcessed: z.array(hashProcessed).optional(),
});

export const getBalanceQuery = z.object({
  playerId: text,
  currency: text,
  gameCode: text.optional(),
  externalSessionId: text.optional(),
});

export const doGameRoundReport = z.object({ gameRoundDetail });
export const callbackReply = z.looseObject({ errorCode: noError });

export const doAutoClose = z.object({ gameRound: text, gameSettings });
export const getGameConfigurationQuery = z.object({
  currency: text,
  currencyMultiplier: z.number(),
  gameCode: text,
});
export const getGameResult = z.object({ gameRound: text });
export const doGetGameHistory = z.object({ gameRound: text, playerId: text, language: text });
