import { randomUUID } from 'node:crypto';
import type { ProjectedRound } from '../../src/contracts/activities';
import { RefusedError } from '../../src/domain/errors';
import { exchange } from '../support/e2e-http';
import { finished, STAKE } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A round whose record isn't there yet is known by its workflow: a repeat is its repeat, whatever else would be in the way. */

let harness: RoundsHarness;
let worker: { stop(): Promise<void> };
let release: () => void;
let held: Promise<void>;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none' });
  const project = async (round: ProjectedRound): Promise<void> => {
    await held;
    await harness.activities.project(round);
  };
  worker = await harness.startWorker({ ...harness.activities, project });
});
beforeEach(() => {
  held = new Promise((resolve) => (release = resolve));
});
afterEach(() => release());
afterAll(async () => {
  await worker?.stop();
  await harness?.stop();
});

const freePlay = (endGame: boolean) => ({
  session: harness.newSession(),
  requestId: randomUUID(),
  rngResult: { rngCallId: 'd', winAmount: 0 },
  debitInformation: { debitAmount: STAKE, currency: 'EUR', useTicketInfo: { useTicket: true } },
  ...{ endGame, closeOpenGame: false, externalGameProviderRoundId: 'r' },
});

async function grantOne({ playerId }: { playerId: string }): Promise<void> {
  const ticket = { playerId, gameCode: 'demo-slot', currency: 'EUR', stake: STAKE, count: 1 };
  const url = `${harness.walletUrl}/sandbox/tickets?operatorId=op1`;
  const { status } = await exchange({ method: 'POST', url, body: JSON.stringify(ticket) });
  expect(status).toBe(201);
}

async function refusedWith(call: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  return error instanceof RefusedError ? error.refusal.errorCode.msg : undefined;
}

test('the free play that an open round has used up is not missed when the call comes again', async () => {
  const call = freePlay(false);
  await grantOne(call.session);
  const first = await harness.commands.startGameRound(call);
  expect(first).toMatchObject({ gameRoundInfo: { status: 'open' } });
  const { hash } = first.gameRoundInfo;
  expect(await harness.rounds.find(hash)).toBeUndefined();
  const { gameRoundInfo, refusal } = await harness.commands.startGameRound(call);
  expect([gameRoundInfo, refusal]).toEqual([first.gameRoundInfo, undefined]);
  expect(await harness.sent(hash)).toEqual(['debit']);
});

test('nor when the round is over', async () => {
  const call = freePlay(true);
  await grantOne(call.session);
  const { gameRoundInfo } = await harness.commands.startGameRound(call);
  expect(gameRoundInfo.status).toBe('closed');
  expect(await harness.rounds.find(gameRoundInfo.hash)).toBeUndefined();
  const repeat = await harness.commands.startGameRound(call);
  expect(repeat).toMatchObject({ gameRoundInfo: { hash: gameRoundInfo.hash, status: 'closed' } });
  expect(repeat.refusal?.errorCode.msg).toBe('GAMEROUNDNOTACTIVE');
  release();
  await finished(harness, gameRoundInfo.hash);
});

test('the guard of another round is not taken over for one that is over', async () => {
  release();
  const session = harness.newSession();
  const name = (externalGameProviderRoundId: string) => ({
    ...{ session, requestId: randomUUID(), rngResult: {}, closeOpenGame: true, externalGameProviderRoundId },
    debitInformation: { debitAmount: STAKE, currency: 'EUR' },
  });
  const over = { ...name('over'), endGame: true };
  const { gameRoundInfo } = await harness.commands.startGameRound(over);
  await finished(harness, gameRoundInfo.hash);
  const next = await harness.commands.startGameRound({ ...name('next'), endGame: false });
  const looks = jest.spyOn(harness.rounds, 'find').mockResolvedValueOnce(undefined);
  const repeat = await harness.commands.startGameRound(over);
  expect(looks).toHaveBeenCalledTimes(2);
  expect(repeat).toMatchObject({ gameRoundInfo: { hash: gameRoundInfo.hash, status: 'closed' } });
  expect(repeat.refusal?.errorCode.msg).toBe('GAMEROUNDNOTACTIVE');
  expect(await harness.commands.describeRound(next.gameRoundInfo.hash)).toMatchObject({ status: 'open' });
});

test('a round that never was is refused for want of a free play', async () => {
  expect(await refusedWith(harness.commands.startGameRound(freePlay(false)))).toBe('NOTICKETAVAILABLE');
});
