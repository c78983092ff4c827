import type { Context } from 'koa';
import { z } from 'zod';
import {
  HEADERS,
  InterfaceError,
  LostResponse,
  parseTimestamp,
  providerFields,
  verifyFields,
} from '../../sdk';
import { singleHeader } from '../http/body';
import { send } from '../http/fault-effects';
import { answer, callState, type Kit } from '../http/kit';
import type { ProcessCall, Reply } from '../http/reply';
import type { SandboxProvider } from '../tenants';
import { expectedRtp, MAX_PAYOUT_ODDS, stakeLadder } from './reels';
import type { Table } from './table';

/** The callbacks of a game provider, which the service calls. */
export interface Callbacks {
  kit: Kit;
  table: Table;
  provider: SandboxProvider;
  timestampToleranceMs: number;
}

const identifier = z.string().min(1).max(128);
const configurationQuery = z.object({
  currency: z.string().regex(/^[A-Z0-9]{3,8}$/),
  currencyMultiplier: z.coerce.number().positive(),
  gameCode: identifier,
});
const roundBody = z.object({ gameRound: identifier });

function failure(status: number, id: number, msg: string): Reply {
  return { status, body: { errorCode: { id, msg, clientmsg: 'The game is not available.' } } };
}

const UNAUTHORIZED = failure(401, 1001, 'SIGNATUREWRONG');
const INVALID = failure(400, 1000, 'INVALIDREQUEST');

export function addCallbacks(callbacks: Callbacks): void {
  const { router } = callbacks.kit;
  router.get('/getGameConfiguration', (ctx) => getGameConfiguration(callbacks, ctx));
  router.post('/getGameResult', (ctx) => tellRound(callbacks, ctx, providerFields.getGameResult));
  router.post('/doGetGameHistory', (ctx) => tellRound(callbacks, ctx, providerFields.doGetGameHistory));
  router.post('/doAutoClose', (ctx) => doAutoClose(callbacks, ctx));
}

function isSigned(
  { kit, provider, timestampToleranceMs }: Callbacks,
  ctx: Context,
  fields: string[],
): boolean {
  const authId = singleHeader(ctx.req, HEADERS.authId);
  const signature = singleHeader(ctx.req, HEADERS.signature);
  const timestamp = singleHeader(ctx.req, HEADERS.timestamp);
  if (authId !== provider.providerId || signature === undefined || timestamp === undefined) return false;
  const age = Math.abs(kit.now().getTime() - parseTimestamp(timestamp));
  if (!(age <= (timestampToleranceMs || Number.MAX_VALUE))) return false;
  return verifyFields({ secrets: provider.secrets, authId, timestamp, signature }, fields);
}

async function respond(
  callbacks: Callbacks,
  ctx: Context,
  gameRound: string | undefined,
  process: ProcessCall,
): Promise<void> {
  const facts = { path: ctx.path, types: [], hashes: [], gameRound, tenantId: callbacks.provider.providerId };
  await answer(callbacks.kit, ctx, facts, process);
}

async function getGameConfiguration(callbacks: Callbacks, ctx: Context): Promise<void> {
  const query = configurationQuery.safeParse(ctx.query);
  if (!query.success) return send(ctx, INVALID);
  const { currency, currencyMultiplier, gameCode } = query.data;
  if (!isSigned(callbacks, ctx, providerFields.getGameConfiguration({ currency })))
    return send(ctx, UNAUTHORIZED);
  const config = {
    stakes: stakeLadder(currencyMultiplier),
    currency,
    currencyMultiplier,
    expectedRtp: expectedRtp(),
    maxPayoutOdds: MAX_PAYOUT_ODDS,
    winlineCount: 1,
  };
  await respond(callbacks, ctx, undefined, () =>
    Promise.resolve({ status: 200, body: { config, gameCode } }),
  );
}

/** getGameResult and doGetGameHistory: returns the game's data of the round, as strings. */
async function tellRound(
  callbacks: Callbacks,
  ctx: Context,
  fieldsOf: (body: { gameRound: string }) => string[],
): Promise<void> {
  const body = roundBody.safeParse(callState(ctx).json);
  if (!body.success) return send(ctx, INVALID);
  if (!isSigned(callbacks, ctx, fieldsOf(body.data))) return send(ctx, UNAUTHORIZED);
  const { gameRound } = body.data;
  // A restarted game has no data of earlier rounds. That is not an error of the caller.
  const story = callbacks.table.story(gameRound) ?? { reels: 'not remembered' };
  await respond(callbacks, ctx, gameRound, () => Promise.resolve({ status: 200, body: story }));
}

/** Not signed: only X-H-AUTH-ID is checked. Responds with 200 only if the round is closed. */
async function doAutoClose(callbacks: Callbacks, ctx: Context): Promise<void> {
  if (singleHeader(ctx.req, HEADERS.authId) !== callbacks.provider.providerId) return send(ctx, UNAUTHORIZED);
  const body = roundBody.extend({ gameSettings: z.looseObject({}) }).safeParse(callState(ctx).json);
  if (!body.success) return send(ctx, INVALID);
  const { gameRound } = body.data;
  await respond(callbacks, ctx, gameRound, async () => {
    try {
      return (await callbacks.table.close(gameRound))
        ? { status: 200, body: {} }
        : failure(409, 5_100, 'NOTCLOSED');
    } catch (error) {
      if (error instanceof InterfaceError || error instanceof LostResponse)
        return failure(502, 5_101, error.message);
      throw error;
    }
  });
}
