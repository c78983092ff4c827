import { randomUUID } from 'node:crypto';
import type { Activities } from '../../activities';
import { RefusedError } from '../../src/domain/errors';
import type { Session } from '../../src/domain/session';
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
  const project: Activities['project'] = async (round) => {
    await held;
    return harness.activities.project(round);
  };
  // Without the means to end its command, a delivery leaves the record to `project`.
  const deliver: Activities['deliver'] = (delivery) => harness.activities.deliver(delivery);
  worker = await harness.startWorker({ ...harness.activities, deliver, project });
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

/** A bet of money in a round of that name. */
const bet = (session: Session, externalGameProviderRoundId: string, closeOpenGame = true) => ({
  ...{ session, requestId: randomUUID(), rngResult: {}, closeOpenGame, externalGameProviderRoundId },
  ...{ debitInformation: { debitAmount: STAKE, currency: 'EUR' }, endGame: false },
});

const NO = { fault: 'status', status: 400, errorCode: { id: 77, msg: 'NO' } };
const LOST = { fault: 'status', status: 503, when: 'after' };

describe('the round after it is left alone when the call of one comes again that', () => {
  it.each<[string, { endGame: boolean; winAmount?: number }, [type: string, fault: object][], string]>([
    ['is closed', { endGame: true }, [], 'GAMEROUNDNOTACTIVE'],
    ['was cancelled', { endGame: false }, [['debit', NO]], 'GAMEROUNDNOTACTIVE'],
    [
      'is crashed',
      { endGame: true, winAmount: 50 },
      [
        ['credit', LOST],
        ['credit', NO],
      ],
      'GAMEROUNDCRASHED',
    ],
    ['the next one has closed', { endGame: false }, [], 'GAMEROUNDNOTACTIVE'],
  ])('%s', async (_what, { endGame, winAmount }, faults, told) => {
    const session = harness.newSession();
    const { playerId } = session;
    for (const [type, fault] of faults) await harness.fault({ ...fault, match: { type, playerId } });
    const first = { ...bet(session, 'first'), endGame, rngResult: { winAmount } };
    const { gameRoundInfo } = await harness.commands.startGameRound(first);
    const next = await harness.commands.startGameRound(bet(session, 'next'));
    expect([next.gameRoundInfo.status, next.refusal]).toEqual(['open', undefined]);
    expect(await harness.rounds.find(gameRoundInfo.hash)).toBeUndefined();
    for (const closeOpenGame of [true, false]) {
      const repeat = await harness.commands.startGameRound({ ...first, closeOpenGame });
      expect([repeat.gameRoundInfo.hash, repeat.refusal?.errorCode.msg]).toEqual([gameRoundInfo.hash, told]);
    }
    const { hash } = next.gameRoundInfo;
    expect(await harness.commands.describeRound(hash)).toMatchObject({ status: 'open' });
    expect(await harness.sent(hash)).toEqual(['debit']);
  });
});

test('its own token reaches it, and no other round', async () => {
  const session = harness.newSession();
  const call = bet(session, 'r');
  const first = await harness.commands.startGameRound(call);
  const own = { ...session, onlyGameround: first.gameRoundInfo.hash };
  const repeat = await harness.commands.startGameRound({ ...call, session: own });
  expect([repeat.gameRoundInfo, repeat.refusal]).toEqual([first.gameRoundInfo, undefined]);
  const other = harness.commands.startGameRound(bet(own, 'other'));
  expect(await refusedWith(other)).toContain('MODENOTALLOWED');
});

test('an expired session is told of its round, whose record comes in the moment in which it is asked for', async () => {
  const session = harness.newSession();
  const call = { ...bet(session, 'r'), endGame: true };
  const { gameRoundInfo } = await harness.commands.startGameRound(call);
  jest.spyOn(harness.rounds, 'find').mockImplementationOnce(async () => {
    release();
    await finished(harness, gameRoundInfo.hash);
    return undefined;
  });
  const repeat = await harness.commands.startGameRound({ ...call, session: { ...session, expired: true } });
  expect(repeat).toMatchObject({ gameRoundInfo: { hash: gameRoundInfo.hash, status: 'closed' } });
  expect(repeat.refusal?.errorCode.msg).toBe('GAMEROUNDNOTACTIVE');
});

test('a round that never was is refused for want of a free play', async () => {
  expect(await refusedWith(harness.commands.startGameRound(freePlay(false)))).toBe('NOTICKETAVAILABLE');
});
