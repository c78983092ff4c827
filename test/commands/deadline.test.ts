import { isGrpcServiceError, type Client } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { msLeft, withinCallTime, withinCommandTime } from '../../src/commands/deadline';

/** As the SDK's: its deadline goes by the machine's clock, so one that is set back never comes. */
function clientWhoseDeadlineNeverComes(): Client {
  let signal: AbortSignal | undefined;
  const client = {
    withAbortSignal: (given: AbortSignal, run: () => Promise<unknown>) => {
      signal = given;
      return run();
    },
    withDeadline: (_deadline: number, run: () => Promise<unknown>) =>
      Promise.race([
        run(),
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(cancelled()))),
      ]),
  };
  const workflowService = { getSystemInfo: () => new Promise(() => undefined) };
  return { ...client, workflowService } as unknown as Client;
}

function cancelled(): Error {
  return grpcError(1);
}

function grpcError(code: number): Error {
  const error = Object.assign(new Error(`code ${code}`), { code, details: '', metadata: {} });
  if (!isGrpcServiceError(error)) throw new Error('not what the SDK throws');
  return error;
}

test('a caller’s time ends, also when the clock is set back while it waits', async () => {
  const deadline = performance.now() + 30;
  const never = new Promise<void>(() => undefined);
  await expect(
    withinCommandTime(clientWhoseDeadlineNeverComes(), () => never, { deadline }),
  ).rejects.toMatchObject({
    refusal: { status: 503, errorCode: { msg: 'SERVICEUNAVAILABLE' } },
  });
  expect(msLeft(deadline)).toBeLessThan(0);
});

test('a namespace that is not there is the service’s trouble, not an internal error', async () => {
  const gone = (): Promise<never> => Promise.reject(new NamespaceNotFoundError('gone'));
  await expect(withinCommandTime(clientWhoseDeadlineNeverComes(), gone)).rejects.toMatchObject({
    refusal: { status: 503, errorCode: { msg: 'SERVICEUNAVAILABLE' } },
  });
});

test.each([
  ['after it has taken the command', 'OPERATIONBEINGPROCESSED', true],
  ['before it is known to have the command', 'SERVICEUNAVAILABLE', false],
])('Temporal goes away %s: %s', async (_when, msg, isTaken) => {
  const unreachable = (): Promise<never> => Promise.reject(grpcError(14));
  await expect(
    withinCommandTime(clientWhoseDeadlineNeverComes(), unreachable, { isTaken }),
  ).rejects.toMatchObject({ refusal: { status: 503, errorCode: { msg } } });
});

test('a command that a slow database holds up is answered within ten seconds; its own errors pass', async () => {
  await expect(withinCallTime(() => Promise.reject(new Error('own')))).rejects.toThrow('own');
  const began = performance.now();
  await expect(withinCallTime(() => new Promise(() => undefined))).rejects.toThrow('OPERATIONBEINGPROCESSED');
  expect(performance.now() - began).toBeLessThan(10_000);
});
