import getRawBody from 'raw-body';
import { refuse, RefusedError } from '../../domain/errors';
import type { Context, RouteContext } from '../route-context';
import { networkOf } from '../limits';

const MAX_BODY_BYTES = 1_048_576;

/**
 * Returns the exact bytes of the body, which the signature covers. A body of more than 1 MiB (by Content-Length or by
 * count) gets 413, and the connection closes, since the rest is not read. A compressed body is refused.
 * @param authId the id that the call claims. Anyone can claim it, so the limit of unread bodies counts id and address
 * @throws RefusedError
 */
export async function readBody(http: RouteContext, ctx: Context, authId: string): Promise<Buffer> {
  const encoding = ctx.get('content-encoding');
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw refuse('INVALIDREQUEST', 'content-encoding is not supported');
  }
  try {
    return await http.unreadBodies.within(`${networkOf(ctx.ip)} ${authId}`, () =>
      getRawBody(ctx.req, { length: ctx.request.length ?? null, limit: MAX_BODY_BYTES }),
    );
  } catch (error) {
    ctx.set('Connection', 'close');
    if (error instanceof RefusedError) throw error;
    const { type } = error as { type?: string };
    if (type === 'entity.too.large') throw refuse('REQUESTTOOLARGE');
    throw refuse('INVALIDREQUEST', 'the body is incomplete or does not match its Content-Length');
  }
}
