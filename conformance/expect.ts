import { asArray, type Exchange, isObject, type Json, type Wrong } from './exchange';
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

/** The party does not offer this call. */
export const isMissing = ({ reply }: Exchange): boolean => [404, 405, 501].includes(reply?.status ?? 0);

/** Right signatures with a small change. A party that compares only a part of the signature takes them for right. */
export const ALTERED_SIGNATURES: Readonly<Record<string, Wrong>> = {
  'with one wrong byte at the beginning': altered((bytes) => flipped(bytes, 0)),
  'with one wrong byte in the middle': altered((bytes) => flipped(bytes, bytes.length / 2)),
  'with one wrong byte at the end': altered((bytes) => flipped(bytes, bytes.length - 1)),
  'with half of the signature': altered((bytes) => bytes.subarray(0, bytes.length / 2)),
};

function altered(change: (bytes: Buffer) => Uint8Array): Wrong {
  const alterSignature = (signature: string): string =>
    Buffer.from(change(Buffer.from(signature, 'base64'))).toString('base64');
  return { alterSignature };
}

function flipped(bytes: Buffer, index: number): Uint8Array {
  return bytes.map((byte, at) => (at === index ? byte ^ 1 : byte));
}

export function skip(why: string): never {
  throw new Skipped(why);
}
