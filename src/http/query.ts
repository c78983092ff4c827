import { refuse } from '../domain/errors';
import type { Context } from './route-context';

/** Far more than any call has. */
const MAX_PARAMETERS = 64;

/**
 * The decoded query; a repeated name has all its values. It is read in one pass with a limit: Koa's own `ctx.query` takes
 * quadratic time for repeated names, and the caller is not authenticated yet.
 * @throws RefusedError 400 INVALIDREQUEST
 */
export function queryOf(ctx: Context): Record<string, string | string[]> {
  const values = new Map<string, string[]>();
  let count = 0;
  for (const [name, value] of new URLSearchParams(ctx.querystring)) {
    count += 1;
    if (count > MAX_PARAMETERS) throw refuse('INVALIDREQUEST', 'the query has too many parameters');
    const before = values.get(name);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : all]));
}
