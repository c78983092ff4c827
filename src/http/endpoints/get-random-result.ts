import { z } from 'zod';
import { refuse } from '../../domain/errors';
import { MAX_COUNT, RNG_END_POINTS } from '../../rng';
import { TOKEN_ERRORS } from '../endpoint';
import { sessionEndpoint } from '../game-engine-call';
import { tokenData } from '../replies';
import { ok } from '../route-context';
import { count, number, object, token } from '../schemas/fields';
import * as replies from '../schemas/replies';
import { openRoundHash } from './reads';

/**
 * For games with `serviceRng` (docs/interface#get-random-result). Expired sessions and tokens for one round may draw, too:
 * they may need draws to finish a round.
 */
export const getRandomResult = sessionEndpoint(
  {
    path: '/getRandomResult',
    summary: 'Draws from the service’s random-number generator',
    description:
      'Only for games with `serviceRng`. `getDoubles` draws uniformly from [min, max). `getIntegers` draws uniformly from min ' +
      'to max, both included. `getShuffle` returns a permutation of min to max; its `count` is max − min + 1. Each draw is ' +
      'logged for audit under its `rngRequestId`.',
    request: object({
      token,
      rngEndPoint: z.enum(RNG_END_POINTS, { error: `must be one of ${RNG_END_POINTS.join(', ')}` }),
      rngPayload: object({ count: count(MAX_COUNT), min: number, max: number }),
    }),
    replies: { 200: replies.randomReply },
    errors: TOKEN_ERRORS,
  },
  async (http, call) => {
    const { session, token: sent, requestId, input } = call;
    const game = http.deps.tenants.game(session.gameCode);
    if (game?.serviceRng !== true || session.mode === 'history') throw refuse('MODENOTALLOWED');
    const { rngEndPoint, rngPayload } = input;
    const [drawn, open] = await Promise.all([
      http.deps.rng.getRandomResult({ session, requestId, rngEndPoint, rngPayload }),
      openRoundHash(http, session),
    ]);
    const { values, rngRequestId } = drawn;
    return ok({ tokenData: tokenData(session, sent, open), values, rngRequestId });
  },
);
