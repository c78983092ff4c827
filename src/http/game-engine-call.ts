import type Router from '@koa/router';
import type { z } from 'zod';
import { refuse } from '../domain/errors';
import type { Session } from '../domain/session';
import { MAX_ID_CHARS } from '../domain/texts';
import type { ProviderSettings } from '../tenants';
import { readBody } from './middleware/body';
import { requestIdOf } from './middleware/request-log';
import {
  authenticated,
  claimOf,
  noteRound,
  type Answer,
  type CallState,
  type Claim,
  type Context,
  type RouteContext,
} from './route-context';
import { parseJson } from './json';
import type { Operation } from './operations/operation';
import { validated } from './schemas/fields';
import { bodySignature, isSignedBy } from './signatures';

const REQUEST_ID_FAULT = `X-Request-Id is required once, with at most ${MAX_ID_CHARS} characters and without '#'`;

/** A game-engine call whose signature and shape are right. */
export interface GameEngineCall<Input> {
  ctx: Context;
  provider: ProviderSettings;
  requestId: string;
  input: Input;
}

/** … and that came with a token of this provider. */
export interface SessionCall<Input> extends GameEngineCall<Input> {
  token: string;
  session: Session;
}

/**
 * The way of every game-engine call (docs/interface#request-headers): who it claims to come from, bytes, signature,
 * X-Request-Id, shape, in this order, so that nobody learns anything before the signature is right.
 */
function signedRoute<Schema extends z.ZodType>(
  http: RouteContext,
  router: Router<CallState>,
  { path, request }: Operation<Schema>,
  handle: (call: GameEngineCall<z.infer<Schema>>) => Promise<Answer>,
): void {
  router.post(path, async (ctx: Context): Promise<void> => {
    const claim = claimOf(http, ctx, (id) => http.deps.tenants.provider(id));
    const body = await readBody(http, ctx, claim.authId);
    const provider = authenticated(
      http,
      ctx,
      claim,
      isSigned(claim, body),
      () => `${body.toString()}#${claim.timestamp}`,
    );
    ctx.state.logFields.providerId = provider.providerId;
    const requestId = requestIdOf(ctx);
    if (requestId === undefined) throw refuse('INVALIDREQUEST', REQUEST_ID_FAULT);
    const input = validated(request, parseJson(body));
    const gameRound = (input as { gameRound?: string }).gameRound;
    if (gameRound !== undefined) noteRound(ctx, gameRound);
    const answer = await handle({ ctx, provider, requestId, input });
    ctx.status = answer.status;
    ctx.body = answer.body;
  });
}

/** For calls that no session stands behind. */
export function gameEngineRoute<Schema extends z.ZodType>(
  http: RouteContext,
  router: Router<CallState>,
  operation: Operation<Schema>,
  handle: (call: GameEngineCall<z.infer<Schema>>) => Promise<Answer>,
): void {
  signedRoute(http, router, operation, (call) =>
    http.admission.within(`provider:${call.provider.providerId}`, () => handle(call)),
  );
}

/** @param options.fresh see Sessions.resolve */
export function sessionRoute<Schema extends z.ZodType<{ token: string }>>(
  http: RouteContext,
  router: Router<CallState>,
  operation: Operation<Schema>,
  options: { fresh: boolean },
  handle: (call: SessionCall<z.infer<Schema>>) => Promise<Answer>,
): void {
  signedRoute(http, router, operation, async (call) => {
    const { token } = call.input;
    const { providerId } = call.provider;
    const { session } = await http.limits.throttleUnknownTokens({ providerId }, () =>
      http.deps.sessions.resolve(token, { ...options, providerId }),
    );
    call.ctx.state.logFields.operatorId = session.operatorId;
    return http.admission.within(JSON.stringify([providerId, session.operatorId]), () =>
      handle({ ...call, token, session }),
    );
  });
}

function isSigned({ tenant, signature, timestamp }: Claim<ProviderSettings>, body: Buffer): boolean {
  return isSignedBy(tenant.secrets, signature, (secret) => bodySignature(secret, body, timestamp));
}
