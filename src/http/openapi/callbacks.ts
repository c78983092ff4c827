import type { ErrorName } from '../../domain/errors';
import type { z } from 'zod';
import * as schemas from '../schemas/callbacks';
import * as replies from '../schemas/operator-replies';
import { freeForm } from '../schemas/replies';
import type { SignedField } from '../endpoint';

/** A call that the service makes (docs/interface#wallet-calls, #provider-callbacks). */
export interface Callback {
  method: 'get' | 'post';
  to: 'operator' | 'provider';
  /** The path below {operator_url} or {game_url}. */
  name: string;
  summary: string;
  description: string;
  request: z.ZodType;
  reply: z.ZodType;
  /** The signed fields after secret, id and timestamp. Absent if the call is not signed. */
  signed?: readonly SignedField[];
  /** Errors of the reply that the service handles by their id. */
  errors: readonly ErrorName[];
}

export const CALLBACKS: readonly Callback[] = [
  {
    ...{ method: 'post', to: 'operator', name: 'doTransactions' },
    summary: 'Debits, credits, ends or voids',
    description:
      'The operator processes the transactions in the given order. Each transaction is idempotent by its type and hash. ' +
      'A void may arrive before its debit. If any transaction fails, the status is not 200. The service does not retry a ' +
      'call with a debit. It retries credits, ends and voids until it gets a definite reply, so a credit must ' +
      'never fail with 5xx. Respond with 400 if the round is voided.',
    request: schemas.doTransactions,
    reply: schemas.doTransactionsReply,
    signed: ['playerId', 'gameCode', 'gameRound', 'of each transaction: hash', 'amount?'],
    errors: [
      ...(['GAMEROUNDALREADYSTARTED', 'TRANSACTIONCOUNTMISMATCH', 'DISCOUNTNOTELIGIBLE'] as const),
      ...(['SIGNATUREWRONG', 'PLAYERNOTFOUND'] as const),
    ],
  },
  {
    ...{ method: 'get', to: 'operator', name: 'getBalance' },
    summary: 'Returns a player’s balances; with gameCode also free plays and tickets',
    description: 'An error has status 4xx or 5xx and an errorCode, never status 200.',
    request: schemas.getBalanceQuery,
    reply: schemas.operatorBalance,
    signed: ['playerId', 'currency', 'gameCode?'],
    errors: ['SIGNATUREWRONG', 'PLAYERNOTFOUND'],
  },
  {
    ...{ method: 'post', to: 'operator', name: 'doGameRoundReport' },
    summary: 'Receives the report of a closed round',
    description:
      'Only for operators with `gameRoundReport`. A 200 with an errorCode is a failure only if it has the header ' +
      'X-H-ERROR-ID. The service retries for 24 hours.',
    request: schemas.doGameRoundReport,
    reply: schemas.callbackReply,
    signed: [],
    errors: ['SIGNATUREWRONG'],
  },
  {
    ...{ method: 'post', to: 'provider', name: 'doAutoClose' },
    summary: 'Closes a round that was left open',
    description:
      'Not signed. The game gets a token from getTokenForGameRound, adds its wins and sends endGameRound. It responds with ' +
      '200 only if the round was closed.',
    request: schemas.doAutoClose,
    reply: schemas.callbackReply,
    errors: [],
  },
  {
    ...{ method: 'get', to: 'provider', name: 'getGameConfiguration' },
    summary: 'Returns the configuration of a game in a currency',
    description:
      'The game multiplies stakes, maxStake, minStake and maxPackageStake by `currencyMultiplier`. The service does not ' +
      'multiply them again.',
    request: schemas.getGameConfigurationQuery,
    reply: replies.providerConfiguration,
    signed: ['currency'],
    errors: ['SIGNATUREWRONG', 'GAMENOTFOUND'],
  },
  {
    ...{ method: 'post', to: 'provider', name: 'getGameResult' },
    summary: 'Returns the result of a closed round',
    description:
      'Only for games with `resultCallback`. The reply is free-form and is stored as `dataStored`.',
    request: schemas.getGameResult,
    reply: freeForm,
    signed: ['gameRound'],
    errors: ['SIGNATUREWRONG', 'GAMEROUNDNOTFOUND'],
  },
  {
    ...{ method: 'post', to: 'provider', name: 'doGetGameHistory' },
    summary: 'Returns what the game shows of a past round',
    description: 'Only for games with `historyCallback`. The reply is free-form. Signed as getGameResult.',
    request: schemas.doGetGameHistory,
    reply: freeForm,
    signed: ['gameRound'],
    errors: ['SIGNATUREWRONG', 'GAMEROUNDNOTFOUND'],
  },
];
