import type { z } from 'zod';
import type { ErrorName } from '../../domain/errors';

/**
 * Who calls, and so how a call proves itself: a game provider signs its body, an operator the call's fields, a player's
 * page has its token, anyone needs nothing.
 */
export type Caller = 'provider' | 'operator' | 'player' | 'anyone';

/** A field that is signed in this place; with `?` only if present (docs/interface#sign-fields). */
export type SignedField = string;

/** One operation of the HTTP interface: routes are made from it and so is its description in `GET /openapi.json`. */
export interface Operation<Request extends z.ZodType = z.ZodType> {
  method: 'get' | 'post';
  path: string;
  caller: Caller;
  summary: string;
  /** CommonMark. */
  description?: string;
  /** The body of a POST, the query of a GET; what is validated. */
  request: Request;
  /** What an operator signs after secret, id and time stamp. */
  signed?: readonly SignedField[];
  /** Status → body. */
  replies: Readonly<Record<number, z.ZodType | MediaType>>;
  /** The body of a refusal, where it may have more than its errorCode. */
  refused?: z.ZodType;
  errors: readonly ErrorName[];
}

/** A body that is not JSON. */
export interface MediaType {
  mediaType: string;
}

export function operation<Request extends z.ZodType>(described: Operation<Request>): Operation<Request> {
  return described;
}

/** What every call can meet, by its caller. */
export const COMMON_ERRORS: Readonly<Record<Caller, readonly ErrorName[]>> = {
  provider: [
    ...(['INVALIDREQUEST', 'SIGNATUREWRONG', 'REQUESTTOOLARGE', 'RATELIMITEXCEEDED'] as const),
    ...(['INTERNALERROR', 'SERVICEUNAVAILABLE'] as const),
  ],
  operator: [
    ...(['INVALIDREQUEST', 'SIGNATUREWRONG', 'REQUESTTOOLARGE', 'RATELIMITEXCEEDED'] as const),
    ...(['INTERNALERROR', 'SERVICEUNAVAILABLE'] as const),
  ],
  player: [
    ...(['INVALIDREQUEST', 'TOKENNOTFOUND', 'RATELIMITEXCEEDED', 'INTERNALERROR'] as const),
    'SERVICEUNAVAILABLE',
  ],
  anyone: ['INTERNALERROR'],
};

/** … of a game-engine call that comes with a token. */
export const TOKEN_ERRORS = [
  'TOKENNOTFOUND',
  'TOKENEXPIRED',
  'LAUNCHURLSPENT',
  'MODENOTALLOWED',
] as const satisfies readonly ErrorName[];

/** … about a round that exists. */
export const ROUND_ERRORS = [...TOKEN_ERRORS, 'GAMEROUNDNOTFOUND'] as const satisfies readonly ErrorName[];

/** … that moves it. */
export const COMMAND_ERRORS = [
  ...ROUND_ERRORS,
  'GAMEROUNDNOTACTIVE',
  'GAMEROUNDCRASHED',
  'IDEMPOTENCYMISMATCH',
  'OPERATIONBEINGPROCESSED',
  'WALLETUNAVAILABLE',
] as const satisfies readonly ErrorName[];
