import { z } from 'zod';
import { MAX_COUNT, RNG_END_POINTS } from '../../rng';
import {
  amount,
  anyJson,
  count,
  currency,
  flag,
  freeText,
  identifier,
  number,
  object,
  roundHash,
  strings,
  token,
} from './fields';

/* Requests of the game-engine API. docs/interface#required-fields lists the required fields; all others are optional. */

const rngResult = object({
  rngCallId: identifier().optional(),
  result: freeText.optional(),
  winAmount: amount.optional(),
});

const gameRound = roundHash;
const transactionId = identifier().optional();

/** The refinement below ("debitAmount is required without a ticket") as JSON Schema. */
const PAID_WITH_TICKET = {
  required: ['useTicketInfo'],
  properties: { useTicketInfo: { required: ['useTicket'], properties: { useTicket: { const: true } } } },
};

export const startGameRound = object({
  token,
  rngResult,
  debitInformation: object({
    debitAmount: amount.optional(),
    currency,
    useTicketInfo: object({ useTicket: flag.default(false) }).optional(),
  })
    .refine(
      ({ debitAmount, useTicketInfo }) => debitAmount !== undefined || useTicketInfo?.useTicket === true,
      {
        path: ['debitAmount'],
        message: 'is required',
      },
    )
    .meta({ anyOf: [{ required: ['debitAmount'] }, PAID_WITH_TICKET] }),
  endGame: flag.default(false),
  closeOpenGame: flag.default(false),
  externalGameProviderRoundId: identifier(32).optional(),
});

export const addWin = object({
  token,
  gameRound,
  rngResult: rngResult.extend({ betData: strings.optional() }),
  collect: flag.default(false),
  externalGameProviderTransactionId: transactionId,
  jackpotPayout: z
    .array(object({ jackpotId: identifier(), jackpotMode: identifier() }), { error: 'must be an array' })
    .max(64, 'must have at most 64 entries')
    .optional(),
});

export const endGameRound = object({ token, gameRound, externalGameProviderTransactionId: transactionId });

export const collectWin = endGameRound.extend({ amount: amount.optional() });

export const voidGameRound = object({ token, gameRound });

const counterType = identifier();

export const addSpinCounterGameState = object({
  token,
  gameRound,
  counterType,
  rngResult: object({
    rngCallId: identifier().optional(),
    result: object({ awarded: amount.default(0), used: amount.default(0) }).default({ awarded: 0, used: 0 }),
    winAmount: amount
      .refine((value) => value === 0, 'must be 0: wins go through addWin')
      .meta({ maximum: 0 })
      .optional(),
  }),
  gameStateResult: strings.optional(),
  externalGameProviderTransactionId: transactionId,
});

export const getAvailableSpinCounter = object({ token, gameRound, counterType });

export const getGameRoundInfo = object({
  token,
  gameRound: gameRound.optional(),
  externalGameProviderRoundId: identifier(32).optional(),
});

export const getRandomResult = object({
  token,
  rngEndPoint: z.enum(RNG_END_POINTS, { error: `must be one of ${RNG_END_POINTS.join(', ')}` }),
  rngPayload: object({ count: count(MAX_COUNT), min: number, max: number }),
});

/** A round can have hundreds of kilobytes, so lists are short. */
const MAX_RECORDS = 200;
const MAX_DAYS = 366;
const maxRecords = count(MAX_RECORDS).default(50);

export const getLastGameRounds = object({ token, maxRecords, maxDays: count(MAX_DAYS).default(30) });
export const getOpenGameRoundsByGame = object({ gameCode: identifier(), maxRecords });

export const tokenOnly = object({ token });
export const tokenAndRound = object({ token, gameRound });
export const roundOnly = object({ gameRound });
export const testPing = object({ testData: anyJson.optional() });
