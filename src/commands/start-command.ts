import type { StartCommand } from '../domain/round/types';
import type { StartGameRound } from './types';

/** The round's command in a call of startGameRound, before a ticket or discount is found for it. */
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
