import type { DefaultContext, ParameterizedContext } from 'koa';
import { DEFAULT_LIMITS, type HttpDeps } from './deps';
import { refuse } from '../domain/errors';
import { Admission } from './admission';
import { Limits } from './limits';
import { isTimely } from './signatures';

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
}

export interface Answer {
  status: number;
  body: object;
}

export function createHttp(deps: HttpDeps): Http {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const admission = new Admission({ calls: limits.calls, elapsed: deps.elapsed });
  const onUnknownToken = (): void => deps.metrics.refusedAuthentication('token');
  return { deps, limits: new Limits(limits, deps.elapsed, onUnknownToken), admission };
}

export function ok(body: object): Answer {
  return { status: 200, body };
}

/** The tenant that has signed a call in time; who isn't known, or hasn't, is refused. */
export function authenticated<Tenant extends { timestampToleranceMs: number }>(
  http: Http,
  ctx: Context,
  tenant: Tenant | undefined,
  { signed, timestamp }: { signed: boolean; timestamp: string },
): Tenant {
  const { tenants, clock } = http.deps;
  // It may be one that only MongoDB knows, which was not to be read since the start.
  if (tenant === undefined && !tenants.complete) throw refuse('SERVICEUNAVAILABLE');
  if (tenant === undefined) throw unauthenticated(http, ctx, 'unknown id');
  if (!signed) throw unauthenticated(http, ctx, 'signature');
  if (!isTimely(timestamp, tenant.timestampToleranceMs, clock()))
    throw unauthenticated(http, ctx, 'timestamp');
  return tenant;
}

/** All that can be wrong with authentication is answered alike: 401, id 1001 (contract §2); the log line has the reason. */
export function unauthenticated({ deps }: Http, ctx: Context, reason: Unauthenticated): Error {
  deps.metrics.refusedAuthentication('signature');
  ctx.state.about.unauthenticated = reason;
  return refuse('SIGNATUREWRONG');
}

/** Notes which round a call is about. `gameround-<hash>` is its workflow's id (contract §3). */
export function noteRound(ctx: Context, gameround: string): void {
  ctx.state.about.gameround = gameround;
  ctx.state.about.workflowId = `gameround-${gameround}`;
}
