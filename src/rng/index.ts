import { randomUUID } from 'node:crypto';
import { refuseBecause } from '../domain/errors';
import type { Session } from '../domain/session';
import { readRequest, type RngRequest } from './request';
import { below, between, createDraws, cryptographic, shuffled, type FillRandom } from './uniform';

export { MAX_COUNT, RNG_END_POINTS, type RngEndPoint, type RngPayload, type RngRequest } from './request';

/** The audit log entry of a draw: caller, request and all values. It never contains a token. */
export interface Draw extends RngRequest {
  rngRequestId: string;
  /** Milliseconds since the epoch. */
  at: number;
  values: number[];
  /** The call's X-Request-Id. */
  requestId: string;
  sessionId: string;
  operatorId: string;
  playerId: string;
  gameCode: string;
  providerId: string;
  mode: string;
}

/** A getRandomResult call. rngEndPoint and rngPayload are not checked yet. */
export interface GetRandomResult {
  session: Pick<Session, 'sessionId' | 'operatorId' | 'playerId' | 'gameCode' | 'providerId' | 'mode'>;
  requestId: string;
  rngEndPoint: unknown;
  rngPayload: unknown;
}

export interface RandomResult {
  values: number[];
  rngRequestId: string;
}

export interface Rng {
  /**
   * Draws random numbers (docs/interface#get-random-result). The caller checks whether the game may draw (`serviceRng`).
   * @throws RefusedError 400 INVALIDREQUEST with the field; 503 SERVICEUNAVAILABLE if the draw can't be logged
   */
  getRandomResult(call: GetRandomResult): Promise<RandomResult>;
}

export interface RngOptions {
  /** Logs a draw for audit. The values are returned only after this has succeeded. */
  log: (draw: Draw) => Promise<void> | void;
  fill?: FillRandom;
  newId?: () => string;
  /** Milliseconds since the epoch. */
  clock?: () => number;
}

const POOL_DRAWS = 1_024;

export function createRng(options: RngOptions): Rng {
  const { log, fill = cryptographic, newId = randomUUID, clock = Date.now } = options;
  return {
    async getRandomResult({ session, requestId, rngEndPoint, rngPayload }) {
      const request = readRequest({ rngEndPoint, rngPayload });
      const values = valuesOf(request, fill);
      const { sessionId, operatorId, playerId, gameCode, providerId, mode } = session;
      const who = { requestId, sessionId, operatorId, playerId, gameCode, providerId, mode };
      const draw: Draw = { rngRequestId: newId(), at: clock(), ...request, values, ...who };
      try {
        await log(draw);
      } catch (error) {
        throw refuseBecause(error, 'SERVICEUNAVAILABLE');
      }
      return { values, rngRequestId: draw.rngRequestId };
    },
  };
}

function valuesOf({ rngEndPoint, rngPayload }: RngRequest, fill: FillRandom): number[] {
  const { count, min, max } = rngPayload;
  const draw = createDraws(fill, Math.min(count, POOL_DRAWS));
  switch (rngEndPoint) {
    case 'getDoubles':
      return times(count, () => between(min, max, draw));
    case 'getIntegers':
      return times(count, () => min + below(max - min + 1, draw));
    case 'getShuffle':
      return shuffled(min, max, draw);
  }
}

function times(count: number, value: () => number): number[] {
  return Array.from({ length: count }, value);
}
