import type { Next } from 'koa';
import { refuse } from '../../domain/errors';
import type { Context } from '../route-context';

/**
 * Limits all calls in flight before anything of them is read, so that slow bodies and unknown callers count, too. Health
 * checks are exempt.
 * @throws RefusedError 503 SERVICEUNAVAILABLE
 */
export function limitInFlight(most: number, isExempt: (path: string) => boolean) {
  let here = 0;
  return async (ctx: Context, next: Next): Promise<void> => {
    if (isExempt(ctx.path)) {
      await next();
      return;
    }
    if (here >= most) {
      // Close the connection, since the body is not read.
      ctx.set('Connection', 'close');
      throw refuse('SERVICEUNAVAILABLE', 'too many calls at the same time');
    }
    here += 1;
    try {
      await next();
    } finally {
      here -= 1;
    }
  };
}
