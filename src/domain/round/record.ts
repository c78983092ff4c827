import { beforeMultiplier } from '../money';
import type { Owner } from '../session';
import { effectiveTransactions, gameRoundInfo, effectiveIn, totals, type GameRoundInfo } from './replies';
import type { RoundSnapshot, RoundStatus, RoundTransaction } from './types';

/** docs/interface#record-transaction */
export type RecordTransaction = Omit<RoundTransaction, 'outcome' | 'errorCode' | 'balanceAfter'>;

/** docs/interface#round-record, with the additional entry `crashed`. */
export interface GameroundRecord {
  hash: string;
  player: string;
  mode: string;
  game: string;
  operator: string;
  status: RoundStatus;
  language: string;
  currency: string;
  environment: string;
  timestamp: string;
  totalBetAmount: number;
  totalWinAmount: number;
  transactions: RecordTransaction[];
  crashed?: true | undefined;
}

export function gameroundRecord(round: RoundSnapshot, environment: string): GameroundRecord {
  const { identity } = round;
  return {
    hash: identity.gameround,
    player: identity.playerId,
    mode: identity.mode,
    game: identity.gameCode,
    operator: identity.operatorId,
    status: round.status,
    language: identity.language,
    currency: identity.currency,
    environment,
    timestamp: round.openedAt,
    ...totals(round),
    transactions: recordTransactions(round),
    ...(round.crashed ? { crashed: true as const } : {}),
  };
}

export function recordTransactions(round: RoundSnapshot): RecordTransaction[] {
  return effectiveTransactions(round).map(
    ({ outcome: _outcome, errorCode: _errorCode, balanceAfter: _balanceAfter, ...shown }) => shown,
  );
}

/** The owner and the status of a round. */
export interface Standing extends Pick<RoundSnapshot, 'status' | 'attention'> {
  identity: Owner & { gameround: string; sessionId: string; currency: string };
}

/** The history of an idle round: its run, and the most events that it has before the next command is carried out. */
export interface IdleHistory {
  runId: string;
  events: number;
}

/** A record as a read needs it. */
export interface ReadRecord {
  snapshot: RoundSnapshot;
  /** While the history of the open round is still this one, the record is up to date. */
  idleAt?: IdleHistory | undefined;
}

/** The summary of a round in lists. Its size does not grow with the round. */
export interface ListedRound extends GameRoundInfo {
  timestamp: string;
  amountToCollect: number;
  totalBetAmount: number;
  totalWinAmount: number;
  crashed?: true | undefined;
  dataStored?: Record<string, string> | undefined;
}

export function listedRound(round: RoundSnapshot): ListedRound {
  return {
    ...gameRoundInfo(round),
    timestamp: round.openedAt,
    amountToCollect: round.amountToCollect,
    ...totals(round),
    ...(round.crashed ? { crashed: true as const } : {}),
    dataStored: round.dataStored,
  };
}

/** docs/interface#round-detail: the record, and what the player really paid; minor units. */
export interface GameRoundDetail extends Omit<GameroundRecord, 'transactions'> {
  baseStake: number;
  totalPayedAmount: number;
  dataStored: Record<string, string>;
  ticketUsed: boolean;
  balanceAfter?: number | undefined;
  transactions: (RecordTransaction & { payed?: number | undefined; balanceAfter?: number | undefined })[];
}

export function gameRoundDetail(round: RoundSnapshot, environment: string): GameRoundDetail {
  const isKept = effectiveIn(round);
  const transactions = effectiveTransactions(round).map((transaction) => {
    const { outcome: _outcome, errorCode: _errorCode, ...shown } = transaction;
    const isMoney = shown.type === 'debit' || shown.type === 'credit';
    // A voided bet cost nothing.
    const payed = isKept(transaction) ? payedOf(shown) : 0;
    return { ...shown, ...(isMoney ? { payed } : {}) };
  });
  const debits = transactions.filter(({ type }) => type === 'debit');
  return {
    ...gameroundRecord(round, environment),
    transactions,
    baseStake: beforeMultiplier(round.stake, round.identity.currencyMultiplier),
    // What the player really paid for the bets: discounts are subtracted, a ticket costs nothing.
    totalPayedAmount: debits.reduce((sum, { payed }) => sum + (payed ?? 0), 0),
    dataStored: round.dataStored ?? {},
    ticketUsed: round.ticket !== undefined,
    balanceAfter: transactions.findLast(({ balanceAfter }) => balanceAfter !== undefined)?.balanceAfter,
  };
}

function payedOf({ amount = 0, discountAmount = 0 }: RecordTransaction): number {
  return Math.max(amount - discountAmount, 0);
}
