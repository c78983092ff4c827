import type { DefaultContext, ParameterizedContext } from 'koa';
import { DEFAULT_LIMITS, type HttpDeps } from './deps';
import { refuse } from '../domain/errors';
import { Admission } from './admission';
import { Limits } from './limits';
import { isTimely, readAuthHeaders, type AuthHeaders } from './signatures';
import { UnreadBodies } from './unread-bodies';

/** What is known of a call while it is answered, for its log line: ids only. */
export interface CallState {
  requestId?: string;
  about: {
    providerId?: string;
    operatorId?: string;
    gameround?: string;
    workflowId?: string;
    errorId?: number;
    errorMsg?: string;
    /** What was wrong with the authentication: its caller isn't told. */
    unauthenticated?: Unauthenticated;
  };
}

type Unauthenticated = 'headers' | 'unknown id' | 'signature' | 'timestamp';

export type Context = ParameterizedContext<CallState, DefaultContext>;

/** What every route works with. */
export interface Http {
  deps: HttpDeps;
  limits: Limits;
  admission: Admission;
  unreadBodies: UnreadBodies;
}

export interface Answer {
  status: number;
  body: object;
}

export function createHttp(deps: HttpDeps): Http {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const admission = new Admission({ calls: limits.calls, elapsed: deps.elapsed });
  const onUnknownToken = (): void => deps.metrics.refusedAuthentication('token');
  return {
    deps,
    limits: new Limits(limits, deps.elapsed, onUnknownToken),
    admission,
    unreadBodies: new UnreadBodies(limits.unreadBodies),
  };
}

export function ok(body: object): Answer {
  return { status: 200, body };
}

/** What a call says of itself in its head, and the tenant that it names: known before its body is read. */
export interface Claim<Tenant> extends AuthHeaders {
  tenant: Tenant;
}

/** Who names no tenant that there is, is refused before anything else of the call is read. */
export function claimOf<Tenant>(
  http: Http,
  ctx: Context,
  tenantOf: (authId: string) => Tenant | undefined,
): Claim<Tenant> {
  const headers = readAuthHeaders(ctx.req.headersDistinct);
  if (headers === undefined) throw unauthenticated(http, ctx, 'headers');
  const tenant = tenantOf(headers.authId);
  // It may be one that only MongoDB knows, which was not to be read since the start.
  if (tenant === undefined && !http.deps.tenants.complete) throw refuse('SERVICEUNAVAILABLE');
  if (tenant === undefined) throw unauthenticated(http, ctx, 'unknown id');
  return { ...headers, tenant };
}

/** The tenant, where it has signed the call in time. */
export function authenticated<Tenant extends { timestampToleranceMs: number }>(
  http: Http,
  ctx: Context,
  { tenant, timestamp }: Claim<Tenant>,
  signed: boolean,
): Tenant {
  if (!signed) throw unauthenticated(http, ctx, 'signature');
  if (!isTimely(timestamp, tenant.timestampToleranceMs, http.deps.clock()))
    throw unauthenticated(http, ctx, 'timestamp');
  return tenant;
}

/** All that can be wrong with authentication is answered alike: 401, id 1001 (docs/interface#signature-refused); the log line has the reason. */
function unauthenticated({ deps }: Http, ctx: Context, reason: Unauthenticated): Error {
  deps.metrics.refusedAuthentication('signature');
  ctx.state.about.unauthenticated = reason;
  return refuse('SIGNATUREWRONG');
}

/** Notes which round a call is about. `gameround-<hash>` is its workflow's id (docs/interface#workflow-id). */
export function noteRound(ctx: Context, gameround: string): void {
  ctx.state.about.gameround = gameround;
  ctx.state.about.workflowId = `gameround-${gameround}`;
}
