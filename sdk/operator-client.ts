import { randomUUID } from 'node:crypto';
import { addressOption, checkFields, textOption } from './arguments';
import { type DebugOptions, SECRET_SHOWN } from './debug';
import { type ErrorObject, InterfaceError, isObject } from './errors';
import { fieldsMessage, HEADERS, operatorFields, signFields } from './signing';
import { attempts, isRetriable, RETRY_DEFAULTS, type RetryOptions } from './retry';
import { exchange } from './transport';
import type { GameConfiguration, GameRoundRecord, TransactionRecord } from './types';

export interface OperatorClientOptions extends RetryOptions, DebugOptions {
  /** The address of the service. */
  baseUrl: string;
  operatorId: string;
  secret: string;
  timeoutMs?: number | undefined;
  now?: (() => Date) | undefined;
}

export interface GameUrlRequest {
  playerId?: string | undefined;
  currency: string;
  gameCode: string;
  language?: string | undefined;
  mode: string;
  gameround?: string | undefined;
  playerdetails?: Record<string, unknown> | undefined;
  profile?: string | undefined;
  options?: Record<string, unknown> | undefined;
}

export interface GameUrlReply {
  url: string;
  isNew: boolean;
  internalPlayerId: string;
}

export interface ReconcileReply {
  gameRound: GameRoundRecord;
  hashesProcessed: { hash: string; errorCode?: ErrorObject }[];
  /** Sum of the balances in the operator's reply; absent if the reply has none. */
  balance?: number;
  currency: string;
  mode: string;
}

export interface GameListReply {
  gameList: Record<string, string>;
  extendedGameList: Record<string, { name: string; studio: string }>;
}

export type GameRoundDetail = GameRoundRecord & {
  baseStake: number;
  totalPayedAmount: number;
  dataStored: Record<string, string>;
  ticketUsed: boolean;
  balanceAfter?: number;
  transactions: (TransactionRecord & { payed?: number; balanceAfter?: number })[];
};

/**
 * The calls of an operator to the service. Each throws InterfaceError if the service refuses, and LostResponse if it does not
 * respond. The client retries after 5xx and 429; all these calls can be repeated safely.
 */
export interface OperatorClient {
  getGameURL(request: GameUrlRequest): Promise<GameUrlReply>;
  reconcileTransactions(request: { gameRound: string }): Promise<ReconcileReply>;
  getGameRoundDetails(query: {
    playerId: string;
    gameRound: string;
  }): Promise<{ gameRound: GameRoundRecord }>;
  getGameRoundReport(request: {
    playerId: string;
    gameRound: string;
  }): Promise<{ gameRoundDetail: GameRoundDetail }>;
  getGameConfiguration(query: { gameCode: string; currency: string }): Promise<GameConfiguration>;
  getGameList(): Promise<GameListReply>;
  registerPlayer(request: {
    playerId: string;
    playerdetails?: Record<string, unknown> | undefined;
  }): Promise<{ internalPlayerId: string; isNew: boolean }>;
}

/** Longer than the service waits for a wallet, so that a reconciliation can return its result. */
const DEFAULT_TIMEOUT_MS = 30_000;

export function createOperatorClient(given: OperatorClientOptions): OperatorClient {
  const options = {
    ...given,
    baseUrl: addressOption('baseUrl', given.baseUrl),
    operatorId: textOption('operatorId', given.operatorId),
    secret: textOption('secret', given.secret),
  };
  const { maxAttempts = RETRY_DEFAULTS.maxAttempts, backoffMs = RETRY_DEFAULTS.backoffMs } = options;
  const retried = <Reply>(attempt: () => Promise<Reply>): Promise<Reply> =>
    attempts({ maxAttempts, backoffMs }, attempt, isRetriable);
  const post = async <Request extends object, Reply>(
    path: string,
    request: Request,
    needed: readonly (keyof Request & string)[],
    fieldsOf: (request: Request) => string[],
  ): Promise<Reply> => {
    checkFields(path, request, needed);
    const sent = { method: 'POST', path, fields: fieldsOf(request), body: JSON.stringify(request) } as const;
    return retried(() => call<Reply>(options, sent));
  };
  const get = async <Query extends Record<string, string>, Reply>(
    path: string,
    query: Query,
    needed: readonly (keyof Query & string)[],
    fieldsOf: (query: Query) => string[],
  ): Promise<Reply> => {
    checkFields(path, query, needed);
    const target = `${path}?${new URLSearchParams(query).toString()}`;
    const fields = fieldsOf(query);
    return retried(() => call<Reply>(options, { method: 'GET', path: target, fields }));
  };
  const { getGameURL, reconcileTransactions, registerPlayer } = operatorFields;
  const { getGameRoundDetails, getGameRoundReport, getGameConfiguration, getGameList } = operatorFields;
  const ofRound = ['playerId', 'gameRound'] as const;
  return {
    getGameURL: (request) => post('/getGameURL', request, ['currency', 'gameCode', 'mode'], getGameURL),
    reconcileTransactions: (request) =>
      post('/reconcileTransactions', request, ['gameRound'], reconcileTransactions),
    getGameRoundDetails: (query) => get('/getGameRoundDetails', query, ofRound, getGameRoundDetails),
    getGameRoundReport: (request) => post('/getGameRoundReport', request, ofRound, getGameRoundReport),
    getGameConfiguration: (query) =>
      get('/backoffice/getGameConfiguration', query, ['gameCode', 'currency'], getGameConfiguration),
    getGameList: () => get('/getGameList', {}, [], getGameList),
    registerPlayer: (request) => post('/registerPlayer', request, ['playerId'], registerPlayer),
  };
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  fields: string[];
  body?: string | undefined;
}

async function call<Reply>(
  options: OperatorClientOptions,
  { method, path, fields, body }: Call,
): Promise<Reply> {
  const { baseUrl, operatorId, secret, timeoutMs = DEFAULT_TIMEOUT_MS, now = () => new Date() } = options;
  const timestamp = now().toISOString();
  const reply = await exchange({
    method,
    url: `${baseUrl}${path}`,
    timeoutMs,
    body,
    debug: options.debug,
    signed: fieldsMessage(SECRET_SHOWN, operatorId, timestamp, fields),
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      [HEADERS.authId]: operatorId,
      [HEADERS.timestamp]: timestamp,
      [HEADERS.signature]: signFields(secret, operatorId, timestamp, fields),
      [HEADERS.requestId]: randomUUID(),
    },
  });
  // A redirect, or a reply that is no JSON object, is an error, too.
  if (reply.status !== 200 || !isObject(reply.body))
    throw new InterfaceError(path.split('?')[0] ?? path, reply);
  return reply.body as Reply;
}
