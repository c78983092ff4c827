import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { agreedBooks, booksAtRest } from '../support/e2e-books';
import { exchange, NoAnswer, type Answer } from '../support/e2e-http';
import {
  eventually,
  insist,
  newRoundId,
  roundOf,
  seatOf,
  STAKE,
  takeSeat,
  type Seat,
} from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';

/*
 * API and worker in one process, which is killed at each step of the activity that carries a command. The caller then
 * asks another process of the same kind. Every answer agrees with the wallet and the record in the end.
 */
jest.setTimeout(180_000);

let stack: E2eStack;
let here: Seat;
let there: Seat;

beforeAll(async () => {
  stack = await startE2eStack({ shape: 'service' });
  here = await takeSeat(stack);
  there = seatOf({ ...stack, api: stack.apiOf('service2') }, here);
  await stack.start(['service2']);
});
afterAll(() => stack?.close());

/** Restarts the first process, which is then killed at the step. */
async function dieAt(step: string): Promise<void> {
  await stack.kill('service');
  const NODE_OPTIONS = `--require ${join(__dirname, '../support/die-at.cjs')}`;
  await stack.start(['service'], { NODE_OPTIONS, DIE_AT: step });
  await working();
}

/** Waits until the first process's own worker is ready, too. Otherwise the other process may carry its commands. */
async function working(): Promise<void> {
  await eventually(
    'its worker',
    () => exchange({ url: `${stack.admin.api}/health/ready` }).catch(() => undefined),
    (answer) => answer?.status === 200,
    60_000,
  );
}

async function toldOnce(call: Promise<Answer>): Promise<Answer | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  });
}

const STEPS = ['bet before', 'bet after', 'record before', 'record after', 'result before', 'result after'];

test.each(STEPS)('a losing spin, its process killed at: %s', async (step) => {
  await dieAt(step);
  const spin = { roundId: newRoundId(), endGame: true, requestId: randomUUID() };
  const told = await toldOnce(here.start(spin));
  // The caller is answered as soon as the record is written.
  expect(told?.body.gameRoundInfo?.status).toBe(step.startsWith('result') ? 'closed' : undefined);
  const answer = await insist(() => there.start(spin));
  const { ledger, record } = await booksAtRest(stack, roundOf(answer));
  if (told !== undefined) expect(record.status).toBe('closed');
  // A repeat of a round that is over says so, and how it ended.
  expect(answer.body.gameRoundInfo?.status).toBe(record.status);
  expect(ledger.net).toBe(record.status === 'closed' ? -STAKE : 0);
});

test.each(['record before', 'record after', 'record before 2', 'record after 2', 'result before'])(
  'a winning spin, its process killed at: %s',
  async (step) => {
    await dieAt(step);
    const spin = { roundId: newRoundId(), endGame: true, winAmount: 700, requestId: randomUUID() };
    const told = await toldOnce(here.start(spin));
    expect(told?.body.gameRoundInfo?.status).toBe(step.startsWith('result') ? 'closed' : undefined);
    const answer = await insist(() => there.start(spin));
    const { ledger, record } = await booksAtRest(stack, roundOf(answer));
    // Once the bet is recorded as taken, it stays taken and its win is paid.
    if (step !== 'record before') expect(record.status).toBe('closed');
    expect(ledger.net).toBe(record.status === 'closed' ? 700 - STAKE : 0);
  },
);

test.each(['record after 2', 'result before 2'])(
  'a win of an open round, its process killed at: %s',
  async (step) => {
    await dieAt(step);
    const round = await here.open();
    const win = { winAmount: 700, transactionId: 'w', requestId: randomUUID() };
    const told = await toldOnce(here.win(round, win));
    expect(told?.body.amountToCollect).toBe(step.startsWith('result') ? 700 : undefined);
    const won = await insist(() => there.win(round, win));
    expect([won.status, won.body.amountToCollect]).toEqual([200, 700]);
    expect((await insist(() => there.end(round))).body.gameRoundInfo?.status).toBe('closed');
    const { ledger } = await booksAtRest(stack, round);
    expect(ledger.net).toBe(700 - STAKE);
  },
);

test('the caller is on another process than the round’s worker, and gets the answer through the update', async () => {
  await stack.kill('service');
  await stack.start(['service']);
  await working();
  const round = await here.open({ winAmount: 30 });
  expect((await there.win(round, { winAmount: 70 })).body.amountToCollect).toBe(100);
  expect((await here.info({ gameRound: round })).body.amountToCollect).toBe(100);
  const ended = await there.end(round);
  expect([ended.status, ended.body.amountCredited]).toEqual([200, 100]);
  expect((await booksAtRest(stack, round)).ledger.net).toBe(100 - STAKE);
});

test('mongod dies while the wallet has the bet: the caller gets the result, and the record follows when mongod is back', async () => {
  const round = { roundId: newRoundId(), endGame: true };
  const { playerId } = here;
  await stack.wallet.fault({ fault: 'slow', delayMs: 1_500, match: { playerId } });
  const before = (await stack.wallet.callsOfPlayer(playerId)).length;
  const telling = here.start(round);
  await eventually(
    'the bet',
    () => stack.wallet.callsOfPlayer(playerId),
    (calls) => calls.length > before,
  );
  await stack.kill('mongod');
  const told = await telling;
  expect([told.status, told.body.gameRoundInfo?.status]).toEqual([200, 'closed']);
  await stack.start(['mongod']);
  const { ledger, record } = await booksAtRest(stack, roundOf(told));
  expect([record.status, ledger.net]).toEqual(['closed', -STAKE]);
  await agreedBooks(stack, roundOf(told));
});
