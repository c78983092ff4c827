import type { DefaultContext, ParameterizedContext } from 'koa';
import { DEFAULT_LIMITS, type HttpDeps } from './deps';
import { refuse } from '../domain/errors';
import { Admission } from './admission';
import { Limits } from './limits';
import { claimedId, readAuthHeaders, timeFault, type AuthFault, type AuthHeaders } from './signatures';
import { UnreadBodies } from './unread-bodies';

/** Data of a call for its log line: ids only. */
export interface CallState {
  requestId: string | undefined;
  logFields: {
    providerId?: string;
    operatorId?: string;
    gameround?: string;
    workflowId?: string;
    errorId?: number;
    errorMsg?: string;
    /** The part of the authentication that was wrong; `claimedId` is the id that the caller sent. */
    unauthenticated?: AuthFault;
    claimedId?: string | undefined;
  };
}

export type Context = ParameterizedContext<CallState, DefaultContext>;

/** The dependencies of all routes. */
export interface RouteContext {
  deps: HttpDeps;
  limits: Limits;
  admission: Admission;
  unreadBodies: UnreadBodies;
  /** As JSON. */
  openApiDocument: string;
}

export interface Answer {
  status: number;
  body: object;
}

export function createRouteContext(deps: HttpDeps, openApiDocument: string): RouteContext {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const admission = new Admission({ calls: limits.calls, monotonicNow: deps.monotonicNow });
  const onUnknownToken = (): void => deps.metrics.refusedAuthentication('token');
  return {
    deps,
    limits: new Limits(limits, deps.monotonicNow, onUnknownToken),
    admission,
    unreadBodies: new UnreadBodies(limits.unreadBodies),
    openApiDocument,
  };
}

export function ok(body: object): Answer {
  return { status: 200, body };
}

/** The authentication headers and the tenant that they name. They are known before the body is read. */
export interface Claim<Tenant> extends AuthHeaders {
  tenant: Tenant;
}

/** Refuses a call that names an unknown tenant before anything else of the call is read. */
export function claimOf<Tenant>(
  http: RouteContext,
  ctx: Context,
  tenantOf: (authId: string) => Tenant | undefined,
): Claim<Tenant> {
  const headers = readAuthHeaders(ctx.req.headersDistinct);
  if (typeof headers === 'string') throw unauthenticated(http, ctx, headers);
  const tenant = tenantOf(headers.authId);
  // The tenant may be in MongoDB, which could not be read since the start.
  if (tenant === undefined && !http.deps.tenants.complete) throw refuse('SERVICEUNAVAILABLE');
  if (tenant === undefined) throw unauthenticated(http, ctx, 'unknown id');
  return { ...headers, tenant };
}

/** Returns the tenant if signature and timestamp are valid. @param message the string to sign, without the secret, for the hint */
export function authenticated<Tenant extends { timestampToleranceMs: number }>(
  http: RouteContext,
  ctx: Context,
  { tenant, timestamp }: Claim<Tenant>,
  signed: boolean,
  message: () => string,
): Tenant {
  if (!signed) throw unauthenticated(http, ctx, 'signature wrong', message);
  const fault = timeFault(timestamp, tenant.timestampToleranceMs, http.deps.clock());
  if (fault !== undefined) throw unauthenticated(http, ctx, fault, message);
  return tenant;
}

/**
 * Every authentication fault gets the same reply: 401, id 1001 (docs/interface#signature-refused). The log line names the
 * wrong part, and with SIGNATURE_HINTS so does the reply (docs/interface#signature-hint).
 */
function unauthenticated(
  { deps }: RouteContext,
  ctx: Context,
  fault: AuthFault,
  message?: () => string,
): Error {
  deps.metrics.refusedAuthentication('signature');
  ctx.state.logFields.unauthenticated = fault;
  ctx.state.logFields.claimedId = claimedId(ctx.req.headersDistinct);
  const error = refuse('SIGNATUREWRONG');
  if (deps.signatureHints) error.hint = message === undefined ? fault : `${fault}; signed: ${message()}`;
  return error;
}

/** Adds the round to the log line. `gameround-<hash>` is its workflow's id (docs/interface#workflow-id). */
export function noteRound(ctx: Context, gameround: string): void {
  ctx.state.logFields.gameround = gameround;
  ctx.state.logFields.workflowId = `gameround-${gameround}`;
}
