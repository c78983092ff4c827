import { effectiveTransactions, totals } from './replies';
import type { RoundSnapshot, RoundStatus, RoundTransaction } from './types';

/** Spec "Transaction as reported in round records". */
export type RecordTransaction = Omit<RoundTransaction, 'outcome' | 'balanceAfter'>;

/** Spec "Operator gameround record"; `crashed` is an extra entry of ours. */
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
  crashed?: true;
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
  return effectiveTransactions(round).map(({ outcome: _outcome, balanceAfter: _balanceAfter, ...shown }) => shown);
}
