import getRawBody from 'raw-body';
import { refuse } from '../../domain/errors';
import type { Context } from '../http';

const MAX_BODY_BYTES = 1_048_576;

/**
 * The body's bytes as they were sent: what the signature is over. Declared or counted, more than 1 MiB is 413, and the
 * connection ends with the answer, since the rest is not read. A compressed body is refused: nobody signs one.
 * @throws RefusedError
 */
export async function readBody(ctx: Context): Promise<Buffer> {
  const encoding = ctx.get('content-encoding');
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw refuse('INVALIDREQUEST', 'content-encoding is not supported');
  }
  try {
    return await getRawBody(ctx.req, { length: ctx.request.length ?? null, limit: MAX_BODY_BYTES });
  } catch (error) {
    ctx.set('Connection', 'close');
    const { type } = error as { type?: string };
    if (type === 'entity.too.large') throw refuse('REQUESTTOOLARGE');
    throw refuse('INVALIDREQUEST', 'the body did not arrive as announced');
  }
}
