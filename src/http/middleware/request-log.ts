import { randomUUID } from 'node:crypto';
import type { Next } from 'koa';
import type { Logger } from '../../logging';
import type { Metrics } from '../../metrics';
import type { Context } from '../route-context';
import { isIdentifier } from '../../domain/texts';

const REQUEST_ID = 'x-request-id';

/** The caller's X-Request-Id, if there is exactly one and it is well-formed. */
function requestIdOf(ctx: Context): string | undefined {
  const values = ctx.req.headersDistinct[REQUEST_ID];
  const [value] = values ?? [];
  return values?.length === 1 && isIdentifier(value!) ? value : undefined;
}

/**
 * Logs one line when a call arrives and one when it is answered, with the same ids. Counts the metrics. Sets `X-Response-Id`
 * (a new UUID) and the caller's X-Request-Id on every reply. Does not log unknown paths: they may contain anything.
 */
export function requestLog(options: {
  logger: Logger;
  metrics: Metrics;
  /** The path of the matching route; undefined if there is none. */
  routeOf: (path: string) => string | undefined;
  /** Health checks arrive every few seconds, so they are logged at level debug only. */
  isQuiet: (path: string) => boolean;
}) {
  const { logger, metrics } = options;
  return async (ctx: Context, next: Next): Promise<void> => {
    const began = process.hrtime.bigint();
    const route = options.routeOf(ctx.path) ?? 'unmatched';
    const level = options.isQuiet(ctx.path) ? 'debug' : 'info';
    const requestId = requestIdOf(ctx);
    const responseId = randomUUID();
    ctx.state.requestId = requestId;
    ctx.state.logFields = {};
    ctx.set('X-Response-Id', responseId);
    if (requestId !== undefined) ctx.set('X-Request-Id', requestId);
    const ids = { requestId, responseId, method: ctx.method, route };
    logger[level]({ ...ids, remote: ctx.ip }, 'call');
    metrics.httpInFlight(1);
    try {
      await next();
    } finally {
      metrics.httpInFlight(-1);
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      metrics.httpCall({ method: ctx.method, route, status: ctx.status, seconds });
      logger[level](
        { ...ids, ...ctx.state.logFields, status: ctx.status, ms: Math.round(seconds * 1_000) },
        'answered',
      );
    }
  };
}
