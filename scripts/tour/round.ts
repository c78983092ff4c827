import { randomUUID } from 'node:crypto';
import type { GameReply } from '../../sdk';
import { begin, check, checkRefused } from './show';
import type { Connected, Stage } from './stage';

/* One round. Real mode and demo mode have the same rules. */

export interface Round {
  token: string;
  gameRound: string;
}

export interface Bet {
  stake: number;
  paidBy: 'money' | 'ticket';
}

export const FREE_SPINS = 2;
export const WIN = 800;
const COLLECTED_FIRST = 500;
const COUNTER = 'customspin';

/** startGameRound, spin counter, addWin, collectWin, endGameRound. @returns the closed round */
export async function playRound(stage: Stage, session: Connected, bet: Bet): Promise<Round> {
  const { token, balance } = session;
  const started = await start(stage, token, bet);
  const afterBet = balance.totalBalance - (bet.paidBy === 'ticket' ? 0 : bet.stake);
  check('balance after the bet', totalOf(started), afterBet);
  const round = { token, gameRound: started.gameRoundInfo?.hash ?? '' };
  await spin(stage, round);
  await win(stage, round, afterBet);
  return round;
}

async function start(
  { provider, currency }: Stage,
  token: string,
  { stake, paidBy }: Bet,
): Promise<GameReply> {
  begin(
    paidBy === 'ticket' ? 'startGameRound: a ticket pays for the bet' : 'startGameRound: the bet is debited',
  );
  const isTicket = paidBy === 'ticket';
  const reply = await provider.startGameRound({
    token,
    rngResult: { rngCallId: randomUUID(), result: 'reels 7 7 3' },
    debitInformation: isTicket
      ? { currency, useTicketInfo: { useTicket: true } }
      : { currency, debitAmount: stake },
    externalGameProviderRoundId: randomUUID().replaceAll('-', ''),
  });
  check('the round is open', reply.gameRoundInfo?.status, 'open');
  check('stake', reply.gameRoundInfo?.stake, stake);
  check('nothing to collect yet', reply.amountToCollect, 0);
  if (isTicket) {
    const { used, granted, won, isLast } = reply.freePlayInfo ?? {};
    check(
      'free plays of the ticket',
      { used, granted, won, isLast },
      { used: 1, granted: 1, won: 0, isLast: true },
    );
    check('free plays left', reply.freePlaysAvailable, []);
  }
  return reply;
}

async function spin({ provider }: Stage, round: Round): Promise<void> {
  const counter = (result: { awarded?: number; used?: number }) =>
    provider.addSpinCounterGameState({
      ...round,
      counterType: COUNTER,
      rngResult: { rngCallId: randomUUID(), result },
      gameStateResult: { feature: 'free spins' },
    });

  begin(`addSpinCounterGameState: the game awards ${FREE_SPINS} free spins`);
  check('spins available', (await counter({ awarded: FREE_SPINS })).spinsAvailable, FREE_SPINS);

  begin('getAvailableSpinCounter');
  const available = await provider.getAvailableSpinCounter({ ...round, counterType: COUNTER });
  check('spins available', available.spinsAvailable, FREE_SPINS);

  begin('addSpinCounterGameState: the player uses them');
  for (let left = FREE_SPINS - 1; left >= 0; left -= 1) {
    check('spins available', (await counter({ used: 1 })).spinsAvailable, left);
  }
  await checkRefused('one more', counter({ used: 1 }), { status: 400, msg: 'SPINCOUNTEREXHAUSTED' });
}

async function win({ provider }: Stage, round: Round, afterBet: number): Promise<void> {
  begin('addWin: the spins won something');
  const added = await provider.addWin({ ...round, rngResult: { rngCallId: randomUUID(), winAmount: WIN } });
  check('open winnings', [added.amountToCollect, added.amountCredited], [WIN, 0]);

  begin('collectWin: the player takes a part of it');
  const collected = await provider.collectWin({ ...round, amount: COLLECTED_FIRST });
  check(
    'open winnings',
    [collected.amountToCollect, collected.amountCredited],
    [WIN - COLLECTED_FIRST, COLLECTED_FIRST],
  );
  check('the round stays open', collected.gameRoundInfo?.status, 'open');
  check('balance', totalOf(collected), afterBet + COLLECTED_FIRST);

  begin('endGameRound: the rest is credited, the round closed');
  const ended = await provider.endGameRound(round);
  check('open winnings', [ended.amountToCollect, ended.amountCredited], [0, WIN - COLLECTED_FIRST]);
  check('the round is closed', ended.gameRoundInfo?.status, 'closed');
  check('balance', totalOf(ended), afterBet + WIN);

  begin('getBalance: the same, asked for');
  check('balance', (await provider.getBalance({ token: round.token })).totalBalance, afterBet + WIN);
}

/** Checks getGameRoundHistoryInfo of a closed round, including protectedInfo. */
export async function history({ provider }: Stage, round: Round): Promise<void> {
  begin('history: getGameRoundHistoryInfo');
  const reply = await provider.getGameRoundHistoryInfo(round);
  const { hash, status } = reply.gameRoundInfo ?? {};
  check('it is this round, closed', [hash, status], [round.gameRound, 'closed']);
  const [first] = reply.gameState ?? [];
  const won = (reply.gameState ?? []).filter(({ type }) => type === 'genericwin');
  check('its game state begins with the debit', first?.type, 'debit');
  check(
    'its game state has the win',
    won.map(({ result }) => result?.winAmount),
    [WIN],
  );
  check('what the game told of it', typeof reply.protectedInfo, 'object');
}

function totalOf({ balance }: GameReply): number | undefined {
  return balance?.totalBalance;
}
