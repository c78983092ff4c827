import { freePlaysAvailable } from '../domain/free-plays';
import { totalBalance } from '../domain/classify-wallet-reply';
import { freePlayInfo, gameRoundInfo, totals, type RoundReply } from '../domain/round/replies';
import { totalWon } from '../domain/round/winnings';
import { gameroundRecord, recordTransactions, type ListedRound } from '../domain/round/record';
import type { RoundSnapshot } from '../domain/round/types';
import type { Session } from '../domain/session';
import { withKnown, type WalletBalance } from '../domain/wallet-call';
import { ok, type Answer } from './route-context';

/* Makes all replies of the game-engine API (docs/interface/objects.md). */

/** docs/interface#token-data. `token`: the token of the call. `gameround`: '' if there is none. */
export function tokenData(session: Session, token: string, gameround: string): object {
  return {
    operatorId: session.operatorId,
    playerId: session.playerId,
    gameId: session.gameCode,
    mode: session.mode,
    currency: session.currency,
    currentToken: token,
    gameRound: gameround,
    walletMode: session.walletMode,
    language: session.language,
    currencyMultiplier: session.currencyMultiplier,
    device: session.device,
    commonDraw: '',
  };
}

/** docs/interface#balance; `totalBalance` is the sum of the balances (docs/interface#total-balance). */
export function balanceReply(session: Session, balance: WalletBalance, ticketInfo?: object): object {
  const balances = balance.balances.map(({ type, currency, amount }) => ({ type, currency, amount }));
  return {
    totalBalance: totalBalance(balance),
    mode: session.mode,
    currency: session.currency,
    balances,
    discountInfo: balance.discountInfo,
    tickets: balance.tickets,
    ticketInfo,
  };
}

/** docs/interface#game-reply. The reply to a refused command has the refusal's status and the state of the round. */
export function gameReply(session: Session, token: string, reply: RoundReply, more: object = {}): Answer {
  const balance = withKnown(reply.balance, session.balance);
  const body = {
    tokenData: tokenData(session, token, reply.gameRoundInfo.hash),
    ...(balance === undefined || balance.balances.length === 0
      ? {}
      : { balance: balanceReply(session, balance, reply.freePlayInfo) }),
    gameRoundInfo: reply.gameRoundInfo,
    commonGameRoundInfo: {},
    gameState: reply.gameState,
    amountToCollect: reply.amountToCollect,
    amountCredited: reply.amountCredited,
    freePlayInfo: reply.freePlayInfo,
    freePlaysAvailable: freePlaysAvailable(balance, session.currency),
    passThroughData: {},
    spinsAvailable: reply.spinsAvailable,
    ...more,
  };
  if (reply.refusal === undefined) return ok(body);
  return { status: reply.refusal.status, body: { ...body, errorCode: reply.refusal.errorCode } };
}

/** The reply of getGameRoundInfo (docs/interface#get-game-round-info): the current round with its whole game state. */
export function roundReply(session: Session, token: string, round: RoundSnapshot): Answer {
  return gameReply(session, token, wholeRound(round), {
    totalWinAmount: totalWinAmount(round),
    transactions: recordTransactions(round),
  });
}

/** The reply of getGameRoundHistoryInfo. `protectedInfo` is the provider's reply to getGameResult. */
export function historyReply(session: Session, token: string, round: RoundSnapshot): Answer {
  return gameReply(session, token, wholeRound(round), { protectedInfo: round.dataStored ?? {} });
}

function wholeRound(round: RoundSnapshot): RoundReply {
  return {
    gameRoundInfo: gameRoundInfo(round),
    gameState: round.gameState,
    amountToCollect: round.amountToCollect,
    amountCredited: 0,
    freePlayInfo: freePlayInfo(round),
  };
}

/** docs/interface#last-round-item. Amounts are in minor units, as in the round's record. */
export function lastRoundItem(round: ListedRound): object {
  return {
    id: round.hash,
    status: round.status,
    timestamp: round.timestamp,
    bet: round.totalBetAmount,
    won: round.totalWinAmount,
    currency: round.currency,
    gameSpecificDetails: round.dataStored ?? {},
  };
}

/** An item of getOpenGameRounds and getOpenGameRoundsByGame (docs/interface#get-open-game-rounds). A crashed round has `crashed`. */
export function openRoundItem(round: ListedRound): object {
  const { totalBetAmount: _bet, totalWinAmount: _won, dataStored: _data, ...shown } = round;
  return shown;
}

/** All wins of the round, collected or not, in minor units. For a cancelled round, only what was credited. */
function totalWinAmount(round: RoundSnapshot): number {
  if (round.status === 'cancel') return totals(round).totalWinAmount;
  return totalWon(round);
}

/** What is left of a spin counter: awarded minus used. */
export function spinsAvailable(round: RoundSnapshot, counterType: string): number {
  const counter = Object.hasOwn(round.spinCounters, counterType)
    ? round.spinCounters[counterType]
    : undefined;
  return counter === undefined ? 0 : counter.awarded - counter.used;
}

/** docs/interface#round-record, with `dataStored` if the provider returned a result (docs/interface#get-game-result). */
export function operatorRecord(round: RoundSnapshot, environment: string): object {
  const record = gameroundRecord(round, environment);
  return round.dataStored === undefined ? record : { ...record, dataStored: round.dataStored };
}
