import { askAfter, firstAnswer, type LocalWorker } from '../../src/commands/local-worker';
import { createWaitingCalls } from '../../src/contracts/waiting-calls';
import type { RoundReply } from '../../src/domain/round/replies';

/* A caller waits for the answer of its own process before it asks by the update. A busy process is given more time. */

const REPLY = { gameRoundInfo: { hash: 'round' } } as RoundReply;
const CALL = { call: 'c', gameround: 'round' };

test.each([
  [undefined, 400],
  [100, 400],
  [500, 1_500],
  [20_000, 3_000],
])('answers that usually take %s ms are waited for %s ms', (usualMs, afterMs) => {
  expect(askAfter(usualMs === undefined ? {} : { usualMs })).toBe(afterMs);
});

test.each([
  ['in time', 60_000],
  ['only after the update was asked', 1],
])('an answer of this process that comes %s is counted', async (_, askAfterMs) => {
  const local: Omit<LocalWorker, 'guards'> = { waitingCalls: createWaitingCalls(), askAfterMs };
  const send = (): Promise<boolean> => {
    setTimeout(() => local.waitingCalls.answer([CALL.call], () => REPLY), 50);
    return Promise.resolve(true);
  };
  const never = (): Promise<RoundReply> => new Promise(() => undefined);
  expect(await firstAnswer(local, CALL, send, never)).toBe(REPLY);
  expect(local.usualMs).toBeGreaterThan(0);
});

test('an answer of the update is not counted', async () => {
  const local: Omit<LocalWorker, 'guards'> = { waitingCalls: createWaitingCalls(), askAfterMs: 1 };
  const asked = await firstAnswer(
    local,
    CALL,
    () => Promise.resolve(true),
    () => Promise.resolve(REPLY),
  );
  expect(asked).toBe(REPLY);
  expect(local.usualMs).toBeUndefined();
});
