import type { z } from 'zod';
import type Router from '@koa/router';
import type { ErrorName } from '../domain/errors';
import type { CallState, RouteContext } from './route-context';
import { noFields } from './schemas/shared-requests';

/**
 * Who calls. It decides how a call is authenticated: a game provider signs the body, an operator signs fields of the call,
 * a player's page sends its token, and `anyone` needs nothing.
 */
export type Caller = 'provider' | 'operator' | 'player' | 'anyone';

/** A signed field, in the order of signing; with `?` it is signed only if present (docs/interface#sign-fields). */
export type SignedField = string;

/** One operation of the HTTP interface: its description in `GET /openapi.json`, its validation and its handler. */
export interface Endpoint<Request extends z.ZodType = z.ZodType> {
  method: 'get' | 'post';
  path: string;
  caller: Caller;
  summary: string;
  /** CommonMark. */
  description?: string;
  /** Validates the body of a POST and the query of a GET. */
  request: Request;
  /** The fields that an operator signs after secret, id and timestamp. */
  signed?: readonly SignedField[];
  /** Status → body. */
  replies: Readonly<Record<number, z.ZodType | MediaType>>;
  /** The body of a refusal, if it can have more fields than errorCode. */
  refused?: z.ZodType;
  errors: readonly ErrorName[];
  /** Adds the route. */
  register(http: RouteContext, router: Router<CallState>): void;
}

/** What an endpoint says of itself; the builder of its kind adds the rest. */
export type Described<Request extends z.ZodType> = Omit<Endpoint<Request>, 'method' | 'caller' | 'register'>;

/** What endpoints have in common that need no caller. */
export const FOR_ANYONE = { method: 'get', caller: 'anyone', request: noFields, errors: [] } as const;

/** A body that is not JSON. */
export interface MediaType {
  mediaType: string;
}

/** Errors that any call can get, by caller. */
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

/** Errors of game-engine calls with a token. */
export const TOKEN_ERRORS = [
  'TOKENNOTFOUND',
  'TOKENEXPIRED',
  'LAUNCHURLSPENT',
  'MODENOTALLOWED',
] as const satisfies readonly ErrorName[];

/** Errors of calls that name an existing round. */
export const ROUND_ERRORS = [...TOKEN_ERRORS, 'GAMEROUNDNOTFOUND'] as const satisfies readonly ErrorName[];

/** Errors of commands that change a round. */
export const COMMAND_ERRORS = [
  ...ROUND_ERRORS,
  'GAMEROUNDNOTACTIVE',
  'GAMEROUNDCRASHED',
  'IDEMPOTENCYMISMATCH',
  'OPERATIONBEINGPROCESSED',
  'WALLETUNAVAILABLE',
] as const satisfies readonly ErrorName[];
