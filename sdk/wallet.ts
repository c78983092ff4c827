import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type DebugOptions, SECRET_SHOWN, tell } from './debug';
import { type ErrorObject, isObject } from './errors';
import type { GameRoundDetail } from './operator-client';
import { fieldsMessage, HEADERS, operatorFields, parseTimestamp, verifyFields } from './signing';
import {
  processCall,
  refusalOfCall,
  walletError,
  type WalletCall,
  type WalletState,
  type WalletTransaction,
} from './wallet-rules';

/** The wallet's side of the operator API (docs/interface#wallet-calls). You provide the storage of balances and rounds. */
export interface WalletOptions extends DebugOptions {
  operatorId: string;
  /** All secrets that are valid now. */
  secrets: readonly string[];
  /** The balance in minor units; undefined if the player or the currency is unknown. */
  balance: (account: Account) => Promise<number | undefined>;
  /**
   * Reads balance and round, calls `change` with them, stores the result, and then resolves. Do all of it in one database
   * transaction: no other call may change the account or the round in between. You may call `change` again.
   */
  transact: (
    key: Account & { gameRound: string },
    change: (state: WalletState) => WalletState,
  ) => Promise<unknown>;
  /** Called with errors of your storage. The service gets a 500. */
  onError: (error: unknown) => void;
  /** Called for doGameRoundReport, possibly more than once per round. */
  report?: ((detail: GameRoundDetail) => Promise<unknown>) | undefined;
  /** Default: 300 s. 0 turns the check off. */
  timestampToleranceMs?: number | undefined;
}

export interface Account {
  playerId: string;
  currency: string;
}

export interface WalletRequest {
  method?: string | undefined;
  /** Path and query of the request. */
  url?: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WalletReply {
  status: number;
  body: object;
}

export interface Wallet {
  /** Handles a request of any framework. It never rejects. */
  handle: (request: WalletRequest) => Promise<WalletReply>;
  /** A listener for createServer of node:http. */
  listener: (request: IncomingMessage, response: ServerResponse) => void;
}

const DEFAULT_TOLERANCE_MS = 300_000;
const MAX_BODY_BYTES = 1024 * 1024;

/** The message that the signature must cover, for debugging. It is known after the fields are read. */
interface Seen {
  signed: string;
}

type Signed = (fields: readonly string[]) => boolean;

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly errorCode: ErrorObject,
  ) {
    super(errorCode.msg);
  }
}

export function createWallet(options: WalletOptions): Wallet {
  const handle = async (request: WalletRequest): Promise<WalletReply> => {
    const begun = performance.now();
    const seen: Seen = { signed: '' };
    const reply = await replyTo(request, seen);
    const { method = '', url = '' } = request;
    tell(options, begun, { method, url, signed: seen.signed, status: reply.status, reply: reply.body });
    return reply;
  };
  const replyTo = async (request: WalletRequest, seen: Seen): Promise<WalletReply> => {
    try {
      return { status: 200, body: {}, ...(await answer(options, request, seen)) };
    } catch (error) {
      const refused = error instanceof Refused ? error : new Refused(500, walletError('INTERNALERROR'));
      if (error !== refused) options.onError(error);
      return { status: refused.status, body: { errorCode: refused.errorCode } };
    }
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url, headers } = request;
    readBody(request)
      .then((body) =>
        body === undefined
          ? { status: 413, body: { errorCode: walletError('REQUESTTOOLARGE') } }
          : handle({ method, url, headers, body }),
      )
      .then(({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      })
      // The caller has closed the connection.
      .catch(() => response.destroy());
  };
  return { handle, listener };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk as Buffer);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString();
}

async function answer(
  options: WalletOptions,
  request: WalletRequest,
  seen: Seen,
): Promise<Partial<WalletReply>> {
  const [path = '', query] = (request.url ?? '').split('?', 2);
  const call = `${request.method} ${path.slice(path.lastIndexOf('/'))}`;
  const signed = signatureOf(options, request.headers, seen);
  if (call === 'GET /getBalance')
    return getBalance(options, signed, Object.fromEntries(new URLSearchParams(query)));
  if (call === 'POST /doTransactions') return doTransactions(options, signed, parsed(request.body));
  if (call === 'POST /doGameRoundReport') {
    check(signed, operatorFields.doGameRoundReport());
    const { gameRoundDetail } = parsed(request.body);
    if (!isObject(gameRoundDetail)) throw invalid('gameRoundDetail');
    await options.report?.(gameRoundDetail as unknown as GameRoundDetail);
    return {};
  }
  throw new Refused(404, walletError('NOTFOUND'));
}

/** Checks id and timestamp now, and returns a function that checks the signature when the fields are known. */
function signatureOf(options: WalletOptions, headers: IncomingHttpHeaders, seen: Seen): Signed {
  const [authId, timestamp, signature] = [HEADERS.authId, HEADERS.timestamp, HEADERS.signature].map((name) =>
    String(headers[name.toLowerCase()] ?? ''),
  ) as [string, string, string];
  const { operatorId, secrets, timestampToleranceMs: tolerance = DEFAULT_TOLERANCE_MS } = options;
  const age = Math.abs(Date.now() - parseTimestamp(timestamp));
  if (authId !== operatorId || !(age <= (tolerance || Number.MAX_VALUE))) throw unauthorised();
  return (fields) => {
    seen.signed = fieldsMessage(SECRET_SHOWN, authId, timestamp, fields);
    return verifyFields({ secrets, authId, timestamp, signature }, fields);
  };
}

function check(signed: Signed, fields: readonly string[]): void {
  if (!signed(fields)) throw unauthorised();
}

const unauthorised = (): Refused => new Refused(401, walletError('SIGNATUREWRONG'));
const invalid = (field: string): Refused => new Refused(400, walletError('INVALIDREQUEST', field));

function parsed(body: string): Record<string, unknown> {
  try {
    const value = JSON.parse(body) as unknown;
    if (isObject(value)) return value;
  } catch {
    // Refused below, like a body that is no object.
  }
  throw invalid('body');
}

async function getBalance(
  options: WalletOptions,
  signed: Signed,
  query: Record<string, string>,
): Promise<Partial<WalletReply>> {
  const { playerId = '', currency = '', gameCode } = query;
  check(signed, operatorFields.getBalance({ playerId, currency, gameCode }));
  const amount = await options.balance({ playerId, currency });
  if (amount === undefined) throw new Refused(404, walletError('PLAYERNOTFOUND'));
  return { body: balances(amount, currency) };
}

const balances = (amount: number, currency: string): object => ({
  balances: [{ type: 'real', amount, currency }],
});

async function doTransactions(
  options: WalletOptions,
  signed: Signed,
  body: Record<string, unknown>,
): Promise<Partial<WalletReply>> {
  const call = callOf(body);
  check(signed, operatorFields.doTransactions(call));
  const { playerId, currency } = call;
  const gameRound = call.gameRound.toLowerCase();
  let reply: Partial<WalletReply> | undefined;
  await options.transact({ playerId, currency, gameRound }, (before) => {
    const refusal = refusalOfCall(before, call, body['transactionCount']);
    if (refusal !== undefined) {
      reply = { status: 400, body: { errorCode: refusal } };
      return before;
    }
    const { state, hashesProcessed } = processCall(before, call);
    const errorCode = hashesProcessed.find((one) => one.errorCode !== undefined)?.errorCode;
    reply = {
      status: errorCode === undefined ? 200 : 400,
      body: {
        ...(state.balance === undefined ? {} : balances(state.balance, currency)),
        ...(errorCode === undefined ? {} : { errorCode }),
        hashesProcessed,
      },
    };
    return state;
  });
  if (reply === undefined) throw new Error('transact has not called change');
  return reply;
}

/** Reads and checks the call. Refuses fields of a wrong type. */
function callOf(body: Record<string, unknown>): WalletCall {
  const { transactions } = body;
  if (!Array.isArray(transactions) || transactions.length === 0) throw invalid('transactions');
  const checked = transactions.map(transactionOf);
  const currency = checked[0]?.currency ?? '';
  if (checked.some((one) => one.currency !== currency)) throw invalid('currency');
  return {
    playerId: identifier(body, 'playerId'),
    gameCode: identifier(body, 'gameCode'),
    gameRound: identifier(body, 'gameRound'),
    currency,
    transactions: checked,
  };
}

const TYPES: readonly unknown[] = ['debit', 'credit', 'end', 'void'];

function transactionOf(one: unknown): WalletTransaction {
  if (!isObject(one) || !TYPES.includes(one['type'])) throw invalid('transactions.type');
  const { type, amount, isFirstDebit, serial } = one;
  identifier(one, 'hash');
  identifier(one, 'currency');
  const isAmount = Number.isSafeInteger(amount) && (amount as number) >= 0;
  const mayLack = type !== 'credit' && !(type === 'debit' && serial === undefined);
  if (!isAmount && !(amount === undefined && mayLack)) throw invalid('transactions.amount');
  if (type === 'debit' && typeof isFirstDebit !== 'boolean') throw invalid('transactions.isFirstDebit');
  return one as unknown as WalletTransaction;
}

/** Refuses `#` in identifiers: it joins the signed fields, so two different calls could have the same signature. */
function identifier(from: Record<string, unknown>, field: string): string {
  const value = from[field];
  if (typeof value !== 'string' || !/^[^#\p{Cc}]+$/u.test(value)) throw invalid(field);
  return value;
}
