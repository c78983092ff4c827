import { isGrpcServiceError, type Client } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { createCommands } from '../../src/commands';
import { msLeft, withinCallTime, withinCommandTime } from '../../src/commands/deadline';
import type { LocalWorker } from '../../src/commands/local-worker';
import type { CommandPorts } from '../../src/commands/ports';
import { createRoundClient } from '../../src/commands/round-client';
import { createWaitingCalls } from '../../src/contracts/waiting-calls';

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

test('a start whose workflow has begun is in progress, if Temporal goes away before its answer', async () => {
  const client = clientWhoseDeadlineNeverComes();
  const unreachable = jest.fn(() => Promise.reject(grpcError(14)));
  const worker: LocalWorker = {
    waitingCalls: createWaitingCalls(),
    guards: { confirm: () => Promise.resolve('first') },
    client: Object.assign(clientWhoseDeadlineNeverComes(), {
      workflow: { start: () => Promise.resolve() },
    }),
    askAfterMs: 1,
  };
  Object.assign(client, { workflow: { executeUpdateWithStart: unreachable } });
  const command = {
    type: 'start',
    currency: 'EUR',
    debitAmount: 100,
    stake: 100,
    useTicket: false,
    endGame: false,
  };
  const start = { identity: { gameround: 'g', currency: 'EUR' }, command: { ...command, winAmount: 0 } };
  const rounds = createRoundClient(client, 'queue', worker);
  await expect(rounds.start(start as never, {} as never)).rejects.toThrow('OPERATIONBEINGPROCESSED');
  expect(unreachable).toHaveBeenCalledTimes(1);
});

describe('with a database that does not respond', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const never = (): Promise<never> => new Promise(() => undefined);
  const ports = { settingsFor: never, findStanding: never, findRecord: never } as unknown as CommandPorts;
  const commands = createCommands({} as Client, ports);
  const request = { session: {}, rngResult: {}, debitInformation: {} } as never;

  test.each<[string, () => Promise<unknown>]>([
    ['a start', () => commands.startGameRound(request)],
    ['another command', () => commands.addWin(request)],
    ['a read', () => commands.describeRound('g')],
  ])('%s is answered within ten seconds', async (_what, call) => {
    let answer: unknown;
    call().catch((error: unknown) => (answer = error));
    await jest.advanceTimersByTimeAsync(9_999);
    expect(answer).toMatchObject({ refusal: { errorCode: { msg: 'OPERATIONBEINGPROCESSED' } } });
  });
});

test('an error before the end of the call’s time passes', async () => {
  await expect(withinCallTime(() => Promise.reject(new Error('own')))).rejects.toThrow('own');
});
