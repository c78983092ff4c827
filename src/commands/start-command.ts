import type { StartCommand } from '../domain/round/types';
import type { StartGameRound } from './types';

/** The start command of a startGameRound call, without ticket and discount, which are looked up later. */
export function startCommandOf({ rngResult, debitInformation, endGame }: StartGameRound): StartCommand {
  const { debitAmount, currency, useTicketInfo } = debitInformation;
  return {
    type: 'start',
    debitAmount,
    stake: debitAmount ?? 0,
    currency,
    useTicket: useTicketInfo?.useTicket === true,
    endGame,
    winAmount: rngResult.winAmount ?? 0,
    rngCallId: rngResult.rngCallId,
    result: rngResult.result,
  };
}
