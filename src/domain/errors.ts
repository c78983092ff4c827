import { isObject } from './is-object';

/** The error object in the field `errorCode` of a reply (docs/interface#error-object). */
export interface ErrorObject {
  id: number;
  msg: string;
  clientmsg: string;
}

const MAX_ERROR_TEXT = 500;

/**
 * Reads the `errorCode` of a reply's body, or of an entry of its hashesProcessed; undefined if there is no error. On a 200
 * an errorCode of any shape is an error; with another status only an object is. `null`, and an object with id 0 and without
 * msg, mean "no error": programs in typed languages write them.
 */
export function errorIn(holder: unknown, status: number): ErrorObject | undefined {
  if (!isObject(holder) || holder.errorCode === undefined || holder.errorCode === null) return undefined;
  if (!isObject(holder.errorCode)) {
    return status === 200 ? { id: 0, msg: 'errorCode is no object', clientmsg: '' } : undefined;
  }
  const { id: given, msg, clientmsg } = holder.errorCode;
  // Some programs write integers as strings.
  const id = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given;
  if ((id ?? 0) === 0 && (msg ?? '') === '') return undefined;
  const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_ERROR_TEXT) : '');
  return { id: Number.isSafeInteger(id) ? Number(id) : 0, msg: text(msg), clientmsg: text(clientmsg) };
}

interface CatalogueEntry {
  id: number;
  status: number;
  clientmsg: string;
}

/** All errors of the service. Errors of an operator are passed through with the operator's own ids. */
export const ERRORS = {
  GAMEROUNDALREADYSTARTED: { id: 12, status: 400, clientmsg: 'A game is already in progress.' },
  GAMEROUNDNOTSTARTED: { id: 15, status: 400, clientmsg: 'No game is in progress.' },
  TRANSACTIONCOUNTMISMATCH: { id: 16, status: 400, clientmsg: 'The request could not be processed.' },
  DISCOUNTNOTELIGIBLE: { id: 33, status: 400, clientmsg: 'The discount is not available.' },
  INVALIDREQUEST: { id: 1000, status: 400, clientmsg: 'The request could not be processed.' },
  SIGNATUREWRONG: { id: 1001, status: 401, clientmsg: 'The request could not be authenticated.' },
  REQUESTTOOLARGE: { id: 1002, status: 413, clientmsg: 'The request could not be processed.' },
  RATELIMITEXCEEDED: { id: 1003, status: 429, clientmsg: 'Too many requests. Please try again shortly.' },
  INTERNALERROR: { id: 1004, status: 500, clientmsg: 'Something went wrong. Please try again.' },
  NOTFOUND: { id: 1005, status: 404, clientmsg: 'The request could not be processed.' },
  GAMEROUNDNOTACTIVE: { id: 2000, status: 400, clientmsg: 'This game has already ended.' },
  GAMEROUNDNOTFOUND: { id: 2001, status: 404, clientmsg: 'This game could not be found.' },
  IDEMPOTENCYMISMATCH: { id: 2002, status: 400, clientmsg: 'The request could not be processed.' },
  PLAYERNOTFOUND: { id: 2003, status: 404, clientmsg: 'The player could not be found.' },
  GAMENOTFOUND: { id: 2004, status: 404, clientmsg: 'The game could not be found.' },
  TOKENNOTFOUND: {
    id: 2005,
    status: 401,
    clientmsg: 'Your session could not be found. Please reload the game.',
  },
  TOKENEXPIRED: { id: 2006, status: 401, clientmsg: 'Your session has expired. Please reload the game.' },
  LAUNCHURLSPENT: { id: 2007, status: 401, clientmsg: 'This link has expired. Please open the game again.' },
  NOTICKETAVAILABLE: { id: 2008, status: 400, clientmsg: 'No free play is available.' },
  SPINCOUNTEREXHAUSTED: { id: 2009, status: 400, clientmsg: 'No spins are left.' },
  MODENOTALLOWED: { id: 2010, status: 400, clientmsg: 'This is not available in the current mode.' },
  CREDITALREADYPROCESSED: { id: 2011, status: 400, clientmsg: 'This game can no longer be cancelled.' },
  GAMEROUNDCRASHED: { id: 2012, status: 400, clientmsg: 'This game is being checked by our team.' },
  UNCOLLECTEDAMOUNTTOOLOW: { id: 2013, status: 400, clientmsg: 'There is not enough to collect.' },
  GAMEROUNDOPEN: { id: 2014, status: 400, clientmsg: 'This game is still in progress.' },
  WALLETUNAVAILABLE: { id: 3000, status: 502, clientmsg: 'Your wallet is not available. Please try again.' },
  OPERATIONBEINGPROCESSED: { id: 3001, status: 503, clientmsg: 'Your last action is still being processed.' },
  SERVICEUNAVAILABLE: { id: 3002, status: 503, clientmsg: 'The service is not available. Please try again.' },
  GAMEPROVIDERUNAVAILABLE: {
    id: 3003,
    status: 502,
    clientmsg: 'The game is not available. Please try again.',
  },
  DEBITDECLINED: { id: 3004, status: 400, clientmsg: 'The bet was declined.' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorName = keyof typeof ERRORS;

export function errorObject(name: ErrorName, detail?: string): ErrorObject {
  const { id, clientmsg } = ERRORS[name];
  return { id, msg: detail === undefined ? name : `${name}: ${detail}`, clientmsg };
}

export function statusOf(name: ErrorName): number {
  return ERRORS[name].status;
}

/** A refusal for the caller: HTTP status and error object. */
export interface Refusal {
  status: number;
  errorCode: ErrorObject;
}

export function refusal(name: ErrorName, detail?: string): Refusal {
  return { status: statusOf(name), errorCode: errorObject(name, detail) };
}

/** Thrown to refuse a call. The HTTP layer turns it into status and body. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** Seconds until the call may be retried, if known. Otherwise `Retry-After` is 1 second. */
  retryAfterSeconds?: number;
  /** Additional field of the reply that says what is wrong with the call. */
  hint?: string;
  constructor(readonly refusal: Refusal) {
    super(refusal.errorCode.msg);
  }
}

export function refuse(name: ErrorName, detail?: string): RefusedError {
  return new RefusedError(refusal(name, detail));
}

/** A refusal whose cause goes to the log and not to the caller. */
export function refuseBecause(cause: unknown, name: ErrorName, detail?: string): RefusedError {
  return Object.assign(refuse(name, detail), { cause });
}
