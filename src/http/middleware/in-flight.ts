import type { Next } from 'koa';
import { refuse } from '../../domain/errors';
import type { Context } from '../route-context';

/**
 * Bounds the calls that are here in any state, before anything of them is read: bodies that come slowly, callers that
 * are yet to be known. Health is always answered.
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
      // Its body is not read.
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
