import { MongoNetworkError } from 'mongodb';
import { RefusedError } from '../../src/domain/errors';
import { needingMongo } from '../../src/sessions/unavailable';

const withCode = (code: string): Error => Object.assign(new Error('of the socket'), { code });

/** `503 SERVICEUNAVAILABLE`, or the error itself. */
async function endsWith(error: unknown): Promise<unknown> {
  const thrown: unknown = await needingMongo(() => Promise.reject(error as Error)).catch(
    (one: unknown) => one,
  );
  if (!(thrown instanceof RefusedError)) return thrown;
  expect(thrown.cause).toBe(error);
  return `${thrown.refusal.status} ${thrown.refusal.errorCode.msg}`;
}

test.each([
  ['an error of the driver', new MongoNetworkError('gone')],
  ['a socket that was closed as the driver wrote', withCode('EPIPE')],
  ['a socket that was reset', withCode('ECONNRESET')],
])('%s: the service is not available', async (_name, error) => {
  expect(await endsWith(error)).toBe('503 SERVICEUNAVAILABLE');
});

test.each([
  ['a refusal’s or a program’s own error', new TypeError('not a function')],
  ['what Node says of a wrong call', withCode('ERR_INVALID_ARG_TYPE')],
])('%s stays what it is', async (_name, error) => {
  expect(await endsWith(error)).toBe(error);
});
