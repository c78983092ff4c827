import { asArray, type Exchange, isObject, type Json } from './exchange';
import { Broken, Skipped } from './rule';

/** `null`, or id 0 without msg, is no error (docs/interface#no-error). */
export function errorIn(value: unknown): Json | undefined {
  const errorCode = isObject(value) ? value['errorCode'] : undefined;
  if (!isObject(errorCode)) return errorCode === undefined || errorCode === null ? undefined : {};
  return errorCode['id'] === 0 && !errorCode['msg'] ? undefined : errorCode;
}

export function listedIn({ reply }: Exchange): Json[] {
  return asArray(reply?.json?.['hashesProcessed']).filter(isObject);
}

type Replied = Exchange & { reply: NonNullable<Exchange['reply']> };

export function mustReply(exchange: Exchange, what: string): Replied {
  if (exchange.reply === undefined) throw new Broken(`${what}: ${exchange.failure}`, exchange);
  return exchange as Replied;
}

/** A 200 without an error. */
export function mustAccept(exchange: Exchange, what: string): Replied {
  const replied = mustReply(exchange, what);
  const { status, json } = replied.reply;
  const errors = [json, ...listedIn(exchange)].map(errorIn).filter((error) => error !== undefined);
  if (status === 200 && errors.length === 0) return replied;
  const error = errors[0] === undefined ? '' : ` with ${JSON.stringify(errors[0])}`;
  throw new Broken(`${what} was answered with ${status}${error} instead of 200`, exchange);
}

export function mustHaveStatus(exchange: Exchange, what: string, status: number): void {
  const { reply } = mustReply(exchange, what);
  if (reply.status !== status)
    throw new Broken(`${what} was answered with ${reply.status} instead of ${status}`, exchange);
}

export function mustHaveId(exchange: Exchange, what: string, id: number): void {
  const { reply } = mustReply(exchange, what);
  const ids = [reply.json, ...listedIn(exchange)].map((one) => errorIn(one)?.['id']);
  if (ids.includes(id)) return;
  const [other] = ids.filter((one) => one !== undefined);
  const came = other === undefined ? 'no errorCode with an id' : `the id ${JSON.stringify(other)}`;
  throw new Broken(`the answer to ${what} has ${came} instead of the id ${id}`, exchange);
}

export function skip(why: string): never {
  throw new Skipped(why);
}
