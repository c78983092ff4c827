import getRawBody from 'raw-body';
import { refuse, RefusedError } from '../../domain/errors';
import type { Context, RouteContext } from '../route-context';
import { networkOf } from '../limits';

const MAX_BODY_BYTES = 1_048_576;

/**
 * The body's bytes as they were sent: what the signature is over. Declared or counted, more than 1 MiB is 413, and the
 * connection ends with the answer, since the rest is not read. A compressed body is refused: nobody signs one.
 * @param authId whom the call claims to come from; anybody can claim it, so its room is one of this id and address
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
    throw refuse('INVALIDREQUEST', 'the body did not arrive as announced');
  }
}
