import type { Context } from 'koa';
import type { z } from 'zod';
import { HEADERS, operatorFields, parseTimestamp, verifyFields } from '../../sdk/signing';
import { singleHeader } from '../http/body';
import { answer, callState, type Kit } from '../http/kit';
import { send } from '../http/fault-effects';
import type { ProcessCall, Refusing, Reply } from '../http/reply';
import type { SandboxOperator } from '../tenants';
import type { Books } from './books';
import type { ErrorObject, TransactionResult, TransactionsCall } from './ledger-types';
import { doGameRoundReportBody, doTransactionsBody, getBalanceQuery, normalId } from './protocol';
import { refusalOfCall } from './transactions';
import { walletError } from './wallet-errors';

export interface OperatorApi {
  kit: Kit;
  books: Books;
  operators: readonly SandboxOperator[];
  /** 0 turns the check off. */
  timestampToleranceMs: number;
}

interface Authentic {
  operatorId: string;
  /** Whether the fields were signed with one of the operator's secrets. */
  signed(fields: readonly string[]): boolean;
}

const UNAUTHORIZED: Reply = { status: 401, body: { errorCode: walletError('SIGNATUREWRONG') } };

function refused(status: number, errorCode: ErrorObject): Reply {
  return { status, body: { errorCode } };
}

function invalid(error: z.ZodError): Reply {
  return refused(400, walletError('INVALIDREQUEST', error.issues[0]?.path.join('.') ?? ''));
}

/** Undefined if a header is missing, repeated or empty, the operator is unknown, or the time is out of tolerance. */
function authenticate(api: OperatorApi, ctx: Context): Authentic | undefined {
  const authId = singleHeader(ctx.req, HEADERS.authId);
  const signature = singleHeader(ctx.req, HEADERS.signature);
  const timestamp = singleHeader(ctx.req, HEADERS.timestamp);
  const operator = api.operators.find(({ operatorId }) => operatorId === authId);
  if (operator === undefined || signature === undefined || timestamp === undefined) return undefined;
  const age = Math.abs(api.kit.now().getTime() - parseTimestamp(timestamp));
  if (!(age <= (api.timestampToleranceMs || Number.MAX_VALUE))) return undefined;
  const { operatorId, secrets } = operator;
  return {
    operatorId,
    signed: (fields) => verifyFields({ secrets, authId: operatorId, timestamp, signature }, fields),
  };
}

export function addOperatorApi(api: OperatorApi): void {
  const { router } = api.kit;
  router.post('/doTransactions', (ctx) => doTransactions(api, ctx));
  router.get('/getBalance', (ctx) => getBalance(api, ctx));
  router.post('/doGameRoundReport', (ctx) => doGameRoundReport(api, ctx));
}

async function doTransactions(api: OperatorApi, ctx: Context): Promise<void> {
  const authentic = authenticate(api, ctx);
  if (authentic === undefined) return send(ctx, UNAUTHORIZED);
  const parsed = doTransactionsBody.safeParse(callState(ctx).json);
  if (!parsed.success) return send(ctx, invalid(parsed.error));
  const { transactionCount, ...sent } = parsed.data;
  if (!authentic.signed(operatorFields.doTransactions(sent))) return send(ctx, UNAUTHORIZED);
  const call = {
    ...sent,
    gameRound: normalId(sent.gameRound),
    transactions: sent.transactions.map((one) => ({ ...one, hash: normalId(one.hash) })),
  };

  const facts = {
    path: ctx.path,
    types: call.transactions.map(({ type }) => type),
    hashes: call.transactions.map(({ hash }) => hash),
    gameRound: call.gameRound,
    playerId: call.playerId,
    tenantId: authentic.operatorId,
  };
  const process: ProcessCall = (refusing) =>
    transact(api, authentic.operatorId, call, transactionCount, refusing);
  await answer(api.kit, ctx, facts, process);
}

async function transact(
  api: OperatorApi,
  operatorId: string,
  call: TransactionsCall,
  count: number,
  refusing: Refusing | undefined,
): Promise<Reply> {
  const ledger = api.books.ledger(operatorId);
  const refusal = ledger && refusalOfCall(ledger, call, count);
  if (refusal !== undefined) return refused(400, refusal);
  const refusalOf = ({ type }: { type: string }): ErrorObject | undefined =>
    refusing?.type === undefined || refusing.type === type ? refusing?.errorCode : undefined;
  const at = api.kit.now().toISOString();
  const beforehand = refusing?.processed === true ? undefined : refusalOf;
  const { results } = await api.books.transact(operatorId, call, at, beforehand);
  const listed = results.map((result) => {
    const errorCode = refusalOf(result) ?? result.errorCode;
    return errorCode === undefined ? result : { ...result, errorCode };
  });
  return transactionsReply(api, operatorId, call, listed, at, refusing?.status);
}

/**
 * If a transaction failed, the status is not 200 (docs/interface#no-credit-after-failed-debit), and the top level of the body
 * has the first error, too. A fault can set another status.
 */
async function transactionsReply(
  api: OperatorApi,
  operatorId: string,
  call: TransactionsCall,
  results: TransactionResult[],
  at: string,
  status: number | undefined,
): Promise<Reply> {
  const errorCode = results.find((result) => result.errorCode !== undefined)?.errorCode;
  const { playerId } = call;
  const named = call.transactions.find(({ currency }) => currency !== undefined)?.currency;
  const currency = api.books.ledger(operatorId)?.rounds.get(call.gameRound)?.currency || named;
  const balance =
    currency === undefined ? {} : await api.books.balance(operatorId, { playerId, currency }, at);
  const hashesProcessed = results.map(({ hash, errorCode: ofHash }) =>
    ofHash === undefined ? { hash } : { hash, errorCode: ofHash },
  );
  // A fault on a 200 that refuses single hashes has no errorCode at the top level: that would count for all hashes.
  const onTop = errorCode !== undefined && status !== 200 ? { errorCode } : {};
  return {
    status: status ?? (errorCode === undefined ? 200 : 400),
    body: { ...balance, ...onTop, hashesProcessed },
  };
}

async function getBalance(api: OperatorApi, ctx: Context): Promise<void> {
  const authentic = authenticate(api, ctx);
  if (authentic === undefined) return send(ctx, UNAUTHORIZED);
  const parsed = getBalanceQuery.safeParse(ctx.query);
  if (!parsed.success) return send(ctx, invalid(parsed.error));
  const query = parsed.data;
  if (!authentic.signed(operatorFields.getBalance(query))) return send(ctx, UNAUTHORIZED);
  const { operatorId } = authentic;
  const facts = { path: ctx.path, types: [], hashes: [], playerId: query.playerId, tenantId: operatorId };
  await answer(api.kit, ctx, facts, async () => ({
    status: 200,
    body: await api.books.balance(operatorId, query, api.kit.now().toISOString()),
  }));
}

async function doGameRoundReport(api: OperatorApi, ctx: Context): Promise<void> {
  const authentic = authenticate(api, ctx);
  if (!authentic?.signed(operatorFields.doGameRoundReport())) return send(ctx, UNAUTHORIZED);
  const parsed = doGameRoundReportBody.safeParse(callState(ctx).json);
  if (!parsed.success) return send(ctx, invalid(parsed.error));
  const gameRoundDetail = {
    ...parsed.data.gameRoundDetail,
    hash: normalId(parsed.data.gameRoundDetail.hash),
  };
  const { operatorId } = authentic;
  const facts = {
    path: ctx.path,
    types: [],
    hashes: [],
    gameRound: gameRoundDetail.hash,
    playerId: gameRoundDetail.player,
    tenantId: operatorId,
  };
  await answer(api.kit, ctx, facts, async () => {
    await api.books.report(operatorId, gameRoundDetail, api.kit.now().toISOString());
    return { status: 200, body: {} };
  });
}
