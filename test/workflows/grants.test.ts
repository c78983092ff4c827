import { randomUUID } from 'node:crypto';
import type { StartGameRound } from '../../src/commands/types';
import { freePlaysAvailable } from '../../src/domain/free-plays';
import { gameRoundDetail } from '../../src/domain/round/record';
import type { Session } from '../../src/domain/session';
import { createHttpClient } from '../../src/clients/http';
import { createOperatorWallet } from '../../src/clients/operator-wallet';
import { exchange } from '../support/e2e-http';
import { FOLLOW_UP_GAME, OPERATORS, startRounds, type RoundsHarness } from '../support/rounds-harness';

/* What is left after a bet by a ticket or with a discount, on the sandbox's wallet: its replies tell balances only. */

const STAKE = 100;
let harness: RoundsHarness;
beforeAll(async () => {
  harness = await startRounds();
});
afterAll(() => harness?.stop());

async function grant(what: 'tickets' | 'discounts', body: object): Promise<void> {
  const url = `${harness.walletUrl}/sandbox/${what}?operatorId=op1`;
  const { status } = await exchange({ method: 'POST', url, body: JSON.stringify(body) });
  expect(status).toBe(201);
}

/** As the operator tells it. */
async function toldTo({ playerId, currency, gameCode }: Session) {
  const http = createHttpClient({ addresses: 'any' });
  const operator = {
    operatorId: 'op1',
    operatorUrl: harness.walletUrl,
    secrets: OPERATORS[0]!.secrets,
    walletTimeoutMs: 5_000,
  };
  const answer = await createOperatorWallet(http).getBalance(operator, { playerId, currency, gameCode });
  await http.close();
  if (answer.kind !== 'balance') throw new Error(answer.kind);
  return answer.balance;
}

function bet(session: Session, useTicket: boolean, over: Partial<StartGameRound> = {}): StartGameRound {
  return {
    session,
    requestId: randomUUID(),
    rngResult: { rngCallId: randomUUID(), winAmount: 0 },
    debitInformation: { debitAmount: STAKE, currency: 'EUR', useTicketInfo: { useTicket } },
    ...{ endGame: false, closeOpenGame: true, externalGameProviderRoundId: randomUUID().slice(0, 30) },
    ...over,
  };
}

test('each free play of a ticket of 3 tells what is left after it, a repeat the same, a void gives it back', async () => {
  const session = harness.newSession();
  await grant('tickets', {
    ...{ playerId: session.playerId, gameCode: 'demo-slot', currency: 'EUR', stake: STAKE, count: 3 },
  });
  for (const left of [2, 1, 0]) {
    const call = bet(session, true);
    const reply = await harness.commands.startGameRound(call);
    expect(freePlaysAvailable(reply.balance).map(({ count }) => count)).toEqual(left === 0 ? [] : [left]);
    expect(freePlaysAvailable(reply.balance)).toEqual(freePlaysAvailable(await toldTo(session)));
    expect(reply.freePlayInfo).toMatchObject({ granted: 3 });
    expect((await harness.commands.startGameRound(call)).balance).toEqual(reply.balance);
    const command = { session, gameRound: reply.gameRoundInfo.hash, requestId: randomUUID() };
    if (left > 0) continue;
    const voided = await harness.commands.voidGameRound(command);
    expect(freePlaysAvailable(voided.balance).map(({ count }) => count)).toEqual([1]);
    expect(freePlaysAvailable(voided.balance)).toEqual(freePlaysAvailable(await toldTo(session)));
  }
});

test('a follow-up bet with a discount is recorded with it, and uses a spin', async () => {
  const session = harness.newSession({ gameCode: FOLLOW_UP_GAME });
  await grant('discounts', {
    ...{ playerId: session.playerId, currency: 'EUR', text: 'spring', campaignId: 'c1' },
    discounts: [{ stake: STAKE, absoluteDiscountAmount: 30, spinsRemaining: 3 }],
  });
  const roundId = { externalGameProviderRoundId: randomUUID().slice(0, 30) };
  const bets = [bet(session, false, roundId), bet(session, false, roundId)];
  let hash = '';
  for (const [index, call] of bets.entries()) {
    session.balance = await toldTo(session);
    const reply = await harness.commands.startGameRound(call);
    hash = reply.gameRoundInfo.hash;
    const discounts = [{ stake: STAKE, spinsRemaining: 2 - index }];
    expect(reply.balance?.discountInfo).toMatchObject({ discounts });
    expect(reply.balance?.discountInfo).toEqual((await toldTo(session)).discountInfo);
  }
  const round = (await harness.rounds.find(hash))!;
  expect(round.transactions.map(({ discountAmount }) => discountAmount)).toEqual([30, 30]);
  const { totalPayedAmount } = gameRoundDetail(round, 'test');
  expect(totalPayedAmount).toBe(2 * (STAKE - 30));
  expect((await harness.ledger(hash)).net).toBe(-totalPayedAmount);
});

test('a discounted bet tells one spin less', async () => {
  const session = harness.newSession();
  await grant('discounts', {
    ...{ playerId: session.playerId, currency: 'EUR', text: 'spring', campaignId: 'c1' },
    discounts: [{ stake: STAKE, absoluteDiscountAmount: 30, spinsRemaining: 2 }],
  });
  session.balance = await toldTo(session);
  const reply = await harness.commands.startGameRound(bet(session, false));
  expect(reply.balance?.discountInfo).toMatchObject({ discounts: [{ stake: STAKE, spinsRemaining: 1 }] });
  expect(reply.balance?.discountInfo).toEqual((await toldTo(session)).discountInfo);
  expect((await harness.rounds.find(reply.gameRoundInfo.hash))?.transactions[0]).toMatchObject({
    ...{ amount: STAKE, discountAmount: 30, discountCampaignId: 'c1' },
  });
});
