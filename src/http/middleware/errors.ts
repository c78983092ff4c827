import type { Next } from 'koa';
import { refusal, RefusedError, type Refusal } from '../../domain/errors';
import type { Logger } from '../../logging';
import type { Context } from '../route-context';

/** Used if the refusal has no `retryAfterSeconds`. */
const RETRY_AFTER_SECONDS = 1;
const RETRIABLE = new Set([429, 503]);

/**
 * Turns errors into replies. A RefusedError becomes its status and `{errorCode}`; any other error becomes a 500 without
 * details. An unknown route is 404 NOTFOUND, a wrong method 405 NOTFOUND.
 */
export function errorReplies(logger: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    let retryAfterSeconds = RETRY_AFTER_SECONDS;
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined) answer(ctx, refusal('NOTFOUND'));
      if (ctx.status === 405 || ctx.status === 501) answer(ctx, { ...refusal('NOTFOUND'), status: 405 });
    } catch (error) {
      if (error instanceof RefusedError) {
        answer(ctx, error.refusal, error.hint);
        retryAfterSeconds = error.retryAfterSeconds ?? retryAfterSeconds;
        if (error.cause !== undefined) logger.warn({ ...correlated(ctx), error: error.cause }, error.message);
      } else {
        answer(ctx, refusal('INTERNALERROR'));
        logger.error({ ...correlated(ctx), error }, 'unexpected error');
      }
    }
    if (RETRIABLE.has(ctx.status)) ctx.set('Retry-After', String(retryAfterSeconds));
  };
}

function answer(ctx: Context, { status, errorCode }: Refusal, hint?: string): void {
  ctx.status = status;
  ctx.body = { errorCode, hint };
  ctx.state.logFields.errorId = errorCode.id;
  ctx.state.logFields.errorMsg = errorCode.msg;
}

function correlated(ctx: Context): object {
  return { requestId: ctx.state.requestId, ...ctx.state.logFields };
}
