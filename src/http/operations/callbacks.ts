import type { ErrorName } from '../../domain/errors';
import type { z } from 'zod';
import * as schemas from '../schemas/callbacks';
import * as replies from '../schemas/operator-replies';
import { freeForm } from '../schemas/replies';
import type { SignedField } from './operation';

/** A call that the service makes (docs/interface#wallet-calls, #provider-callbacks). */
export interface Callback {
  method: 'get' | 'post';
  to: 'operator' | 'provider';
  /** Under {operator_url} or {game_url}. */
  name: string;
  summary: string;
  description: string;
  request: z.ZodType;
  reply: z.ZodType;
  /** After secret, id and time stamp; absent: the call is not signed. */
  signed?: readonly SignedField[];
  /** Ids that the answer may carry and the service knows. */
  errors: readonly ErrorName[];
}

export const CALLBACKS: readonly Callback[] = [
  {
    ...{ method: 'post', to: 'operator', name: 'doTransactions' },
    summary: 'Takes, gives or takes back money',
    description:
      'In the order given; every transaction is idempotent on its type and hash. A void may come before its debit. If any ' +
      'fails the status is not 200. Calls with a debit are never repeated; all others are until they are answered, so a ' +
      'credit must never fail with 5xx. 400 for a round that is voided.',
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
    summary: 'Tells a player’s balances; with gameCode also free plays and tickets',
    description: 'An error is 4xx or 5xx with an errorCode, never 200.',
    request: schemas.getBalanceQuery,
    reply: schemas.operatorBalance,
    signed: ['playerId', 'currency', 'gameCode?'],
    errors: ['SIGNATUREWRONG', 'PLAYERNOTFOUND'],
  },
  {
    ...{ method: 'post', to: 'operator', name: 'doGameRoundReport' },
    summary: 'Takes the report of a closed round, where the operator asked for it',
    description: 'An errorCode on a 200 counts only with the header X-H-ERROR-ID. Repeated for 24 hours.',
    request: schemas.doGameRoundReport,
    reply: schemas.callbackReply,
    signed: [],
    errors: ['SIGNATUREWRONG'],
  },
  {
    ...{ method: 'post', to: 'provider', name: 'doAutoClose' },
    summary: 'Closes a round that was left open',
    description:
      'Not signed. The game gets a token by getTokenForGameRound, sends its winnings and endGameRound. 200 only when the ' +
      'round was closed.',
    request: schemas.doAutoClose,
    reply: schemas.callbackReply,
    errors: [],
  },
  {
    ...{ method: 'get', to: 'provider', name: 'getGameConfiguration' },
    summary: 'Tells a game’s configuration in a currency',
    description: 'The game applies the multiplier, once: stakes, maxStake, minStake and maxPackageStake.',
    request: schemas.getGameConfigurationQuery,
    reply: replies.providerConfiguration,
    signed: ['currency'],
    errors: ['SIGNATUREWRONG', 'GAMENOTFOUND'],
  },
  {
    ...{ method: 'post', to: 'provider', name: 'getGameResult' },
    summary: 'Tells about a closed round: free-form, kept as `dataStored`',
    description: 'For games with `resultCallback`.',
    request: schemas.getGameResult,
    reply: freeForm,
    signed: ['gameRound'],
    errors: ['SIGNATUREWRONG', 'GAMEROUNDNOTFOUND'],
  },
  {
    ...{ method: 'post', to: 'provider', name: 'doGetGameHistory' },
    summary: 'Tells what is to be shown of a past round: free-form',
    description: 'For games with `historyCallback`; signed as getGameResult.',
    request: schemas.doGetGameHistory,
    reply: freeForm,
    signed: ['gameRound'],
    errors: ['SIGNATUREWRONG', 'GAMEROUNDNOTFOUND'],
  },
];
