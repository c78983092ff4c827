import { randomUUID } from 'node:crypto';
import type { RngResult } from '../../src/commands/types';
import type { Session } from '../../src/domain/session';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

function start(session: Session, more: { endGame?: boolean; rngResult?: RngResult; debitAmount?: number } = {}) {
  return harness.commands.startGameRound({
    session,
    requestId: randomUUID(),
    rngResult: more.rngResult ?? { rngCallId: randomUUID() },
    debitInformation: { debitAmount: more.debitAmount ?? 250, currency: 'EUR' },
    endGame: more.endGame ?? false,
    closeOpenGame: false,
  });
}

test('a spin with a win, closed in the same call: debit, then credit and end', async () => {
  const session = harness.newSession();
  const reply = await start(session, { endGame: true, rngResult: { rngCallId: 'r1', winAmount: 700 } });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed', stake: 250 }, amountCredited: 700, amountToCollect: 0 });
  const gameround = reply.gameRoundInfo.hash;
  const calls = await harness.calls(gameround);
  expect(calls.map(({ body }) => body.transactions.map(({ type }) => type))).toEqual([['debit'], ['credit', 'end']]);
  expect(await harness.rounds.find(gameround)).toMatchObject({ status: 'closed' });
});

test('start, win, end: the record and the ledger agree', async () => {
  const session = harness.newSession();
  const started = await start(session);
  const gameRound = started.gameRoundInfo.hash;
  const won = await harness.commands.addWin({
    session,
    requestId: randomUUID(),
    gameRound,
    rngResult: { rngCallId: 'w1', winAmount: 300 },
    collect: false,
  });
  expect(won).toMatchObject({ amountToCollect: 300, gameRoundInfo: { status: 'open' } });
  const ended = await harness.commands.endGameRound({ session, requestId: randomUUID(), gameRound });
  expect(ended).toMatchObject({ amountToCollect: 0, amountCredited: 300, gameRoundInfo: { status: 'closed' } });
  const again = await harness.commands.endGameRound({ session, requestId: randomUUID(), gameRound });
  expect(again.refusal).toMatchObject({ status: 400, errorCode: { msg: 'GAMEROUNDNOTACTIVE' } });
});
