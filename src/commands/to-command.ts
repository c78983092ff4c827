import { normalId } from '../domain/hashes';
import type { Command, StartCommand } from '../domain/round/types';
import type { AddSpinCounter, AddWin, CollectWin, RoundRequest, StartGameRound } from './types';

/** The command of each call, for rounds of real money and for demo rounds. */
export const toCommand = {
  /** Without ticket and discount, which are looked up later. */
  startGameRound: ({ rngResult, debitInformation, endGame }: StartGameRound): StartCommand => ({
    type: 'start',
    debitAmount: debitInformation.debitAmount,
    stake: debitInformation.debitAmount ?? 0,
    currency: debitInformation.currency,
    useTicket: debitInformation.useTicketInfo?.useTicket === true,
    endGame,
    winAmount: rngResult.winAmount ?? 0,
    rngCallId: rngResult.rngCallId,
    result: rngResult.result,
  }),
  addWin: (request: AddWin): Command => ({
    type: 'addWin',
    key: commandKey({ ...request, rngCallId: request.rngResult.rngCallId }),
    winAmount: request.rngResult.winAmount ?? 0,
    collect: request.collect,
    rngCallId: request.rngResult.rngCallId,
    result: request.rngResult.result,
    betData: request.rngResult.betData,
    jackpotPayout: request.jackpotPayout,
  }),
  endGameRound: (request: RoundRequest): Command => ({
    type: 'end',
    key: commandKey(request),
    reason: 'endGameRound',
  }),
  collectWin: (request: CollectWin): Command => ({
    type: 'collectWin',
    key: commandKey(request),
    amount: request.amount,
  }),
  voidGameRound: (): Command => ({ type: 'void', reason: 'voidGameRound' }),
  addSpinCounterGameState: (request: AddSpinCounter): Command => ({
    type: 'addSpinCounter',
    key: commandKey(request),
    counterType: request.counterType,
    awarded: request.awarded,
    used: request.used,
    gameStateResult: request.gameStateResult,
  }),
};

/** The idempotency key of a command: the provider's transaction id, or the rngCallId, or the request id. */
function commandKey(request: RoundRequest & { rngCallId?: string | undefined }): string {
  const { externalGameProviderTransactionId: transaction, rngCallId, requestId } = request;
  if (transaction !== undefined) return `transaction:${normalId(transaction)}`;
  return rngCallId === undefined ? `request:${normalId(requestId)}` : `rng:${normalId(rngCallId)}`;
}
