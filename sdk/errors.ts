import type { WireReply } from './transport';

/** Error object of the interface (docs/interface#error-object). */
export interface ErrorObject {
  id: number;
  msg: string;
  clientmsg: string;
}

/** The service responded with an error. `body` is the whole reply. The message has its `hint` (docs/interface#signature-hint). */
export class InterfaceError extends Error {
  override readonly name = 'InterfaceError';
  readonly status: number;
  readonly errorCode: ErrorObject | undefined;
  readonly body: unknown;
  /** `Retry-After` of the reply (429 and 503 have it) in milliseconds; otherwise 0. */
  readonly retryAfterMs: number;

  constructor(operation: string, reply: WireReply) {
    const errorCode = errorCodeOf(reply.body);
    const hint = isObject(reply.body) ? reply.body['hint'] : undefined;
    const why = [errorCode?.msg, hint].filter((text) => typeof text === 'string' && text !== '').join(': ');
    super(`${operation}: ${reply.status} ${why}`.trimEnd());
    this.status = reply.status;
    this.errorCode = errorCode;
    this.body = reply.body;
    this.retryAfterMs = Number(reply.headers.get('retry-after')) * 1_000 || 0;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function errorCodeOf(body: unknown): ErrorObject | undefined {
  const errorCode = isObject(body) ? body['errorCode'] : undefined;
  if (!isObject(errorCode) || typeof errorCode['id'] !== 'number') return undefined;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { id: errorCode['id'], msg: text(errorCode['msg']), clientmsg: text(errorCode['clientmsg']) };
}
