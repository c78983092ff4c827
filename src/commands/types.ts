import type { RoundReply } from '../contracts/gameround';
import type { RoundSnapshot } from '../domain/round/types';
import type { Session } from '../domain/session';

export interface RngResult {
  rngCallId?: string | undefined;
  result?: string | undefined;
  winAmount?: number | undefined;
  betData?: Record<string, string> | undefined;
}

export interface StartGameRound {
  session: Session;
  requestId: string;
  rngResult: RngResult;
  debitInformation: {
    debitAmount?: number | undefined;
    currency: string;
    useTicketInfo?: { useTicket?: boolean | undefined } | undefined;
  };
  endGame: boolean;
  closeOpenGame: boolean;
  externalGameProviderRoundId?: string | undefined;
}

/** Fields of all commands on an existing round. */
export interface RoundRequest {
  session: Session;
  requestId: string;
  gameRound: string;
  externalGameProviderTransactionId?: string | undefined;
}

export interface AddWin extends RoundRequest {
  rngResult: RngResult;
  collect: boolean;
  jackpotPayout?: { jackpotId: string; jackpotMode: string }[] | undefined;
}

export interface CollectWin extends RoundRequest {
  amount?: number | undefined;
}

export interface AddSpinCounter extends RoundRequest {
  counterType: string;
  rngCallId?: string | undefined;
  awarded: number;
  used: number;
  gameStateResult?: Record<string, string> | undefined;
}

/**
 * Turns calls into durable commands of a round and waits for their answers, at most for the command's time (10 s). A reply
 * with `refusal` was refused by the rules or the wallet.
 * @throws RefusedError if no round answered: unknown round, service down, still being processed
 */
export interface RoundService {
  startGameRound(command: StartGameRound): Promise<RoundReply>;
  addWin(command: AddWin): Promise<RoundReply>;
  endGameRound(command: RoundRequest): Promise<RoundReply>;
  collectWin(command: CollectWin): Promise<RoundReply>;
  voidGameRound(command: RoundRequest): Promise<RoundReply>;
  addSpinCounterGameState(command: AddSpinCounter): Promise<RoundReply>;
  /** The current state of a round: from its record if that says that the round is over, otherwise from its workflow. */
  describeRound(gameround: string): Promise<RoundSnapshot | undefined>;
}
