import type Router from '@koa/router';
import type { z } from 'zod';
import { refuse } from '../domain/errors';
import type { Session } from '../domain/session';
import { MAX_ID_CHARS } from '../domain/texts';
import type { ProviderSettings } from '../tenants';
import { readBody } from './middleware/body';
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
import type { Described, Endpoint } from './endpoint';
import { validated } from './schemas/fields';
import { bodySignature, isSignedBy, type AuthHeaders } from './signatures';

const REQUEST_ID_FAULT = `X-Request-Id is required once, with at most ${MAX_ID_CHARS} characters and without '#'`;

/** A game-engine call with a valid signature and valid fields. */
export interface GameEngineCall<Input> {
  ctx: Context;
  provider: ProviderSettings;
  requestId: string;
  headers: AuthHeaders;
  /** As it arrived. */
  body: Buffer;
  input: Input;
}

/** A game-engine call with a token of this provider. */
export interface SessionCall<Input> extends GameEngineCall<Input> {
  token: string;
  session: Session;
}

/**
 * Every game-engine call is checked in this order (docs/interface#request-headers): claimed provider, body, signature,
 * X-Request-Id, fields. A caller without a valid signature learns nothing else.
 */
function signedRoute<Schema extends z.ZodType>(
  http: RouteContext,
  router: Router<CallState>,
  { path, request }: Described<Schema>,
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
    const { requestId } = ctx.state;
    if (requestId === undefined) throw refuse('INVALIDREQUEST', REQUEST_ID_FAULT);
    const input = validated(request, parseJson(body));
    const gameRound = (input as { gameRound?: string }).gameRound;
    if (gameRound !== undefined) noteRound(ctx, gameRound);
    const answer = await handle({ ctx, provider, requestId, headers: claim, body, input });
    ctx.status = answer.status;
    ctx.body = answer.body;
  });
}

/** A call without a session. */
export function gameEngineEndpoint<Schema extends z.ZodType>(
  described: Described<Schema>,
  handle: (http: RouteContext, call: GameEngineCall<z.infer<Schema>>) => Promise<Answer>,
): Endpoint<Schema> {
  return {
    ...{ ...described, method: 'post', caller: 'provider' },
    register: (http, router) =>
      signedRoute(http, router, described, (call) =>
        http.admission.within(`provider:${call.provider.providerId}`, () => handle(http, call)),
      ),
  };
}

/** @param options.fresh see Sessions.resolve; default: false */
export function sessionEndpoint<Schema extends z.ZodType<{ token: string }>>(
  described: Described<Schema>,
  handle: (http: RouteContext, call: SessionCall<z.infer<Schema>>) => Promise<Answer>,
  { fresh = false } = {},
): Endpoint<Schema> {
  return {
    ...{ ...described, method: 'post', caller: 'provider' },
    register: (http, router) =>
      signedRoute(http, router, described, async (call) => {
        const { token } = call.input;
        const { providerId } = call.provider;
        const { session } = await http.limits.throttleUnknownTokens({ providerId }, () =>
          http.deps.sessions.resolve(token, { fresh, providerId }),
        );
        call.ctx.state.logFields.operatorId = session.operatorId;
        return http.admission.within(JSON.stringify([providerId, session.operatorId]), () =>
          handle(http, { ...call, token, session }),
        );
      }),
  };
}

function isSigned({ tenant, signature, timestamp }: Claim<ProviderSettings>, body: Buffer): boolean {
  return isSignedBy(tenant.secrets, signature, (secret) => bodySignature(secret, body, timestamp));
}
