import { errorIn } from '../domain/errors';
import type { WalletAnswer } from '../domain/wallet-call';
import { createBreaker, type Breaker, type BreakerOptions } from './breaker';
import { createSlots } from './slots';
import type { OperatorAddress, OperatorWallet } from './types';

/** The result of a withheld call. A bet counts as declined; a credit or void is retried (src/domain/classify-wallet-reply.ts). */
type NotSent = WalletAnswer & { kind: 'no-response' };

/** Why a call was not sent. */
export type Withheld = 'failing' | 'busy';

export interface WalletGuardOptions extends Omit<BreakerOptions, 'onChange'> {
  /** Most calls in flight per operator. */
  callsPerOperator: number;
  /** Most credits, ends and voids in flight while the wallet is failing. They are never stopped completely. */
  callsWhileFailing: number;
  reportsPerOperator: number;
  onChange?: (operatorId: string, failing: boolean) => void;
  onWithheld?: (operatorId: string, operation: string, why: Withheld) => void;
}

export const WALLET_GUARD: WalletGuardOptions = {
  failuresInARow: 10,
  firstPauseMs: 1_000,
  maxPauseMs: 30_000,
  callsPerOperator: 64,
  callsWhileFailing: 8,
  reportsPerOperator: 16,
};

/**
 * A wallet client that protects operators from each other: each may have a limited number of calls in flight, and bets for a
 * failing wallet are not sent. Credits, ends and voids are never dropped: a call above the limit is not sent now and is
 * retried like any other failure. Any 4xx counts as an answer.
 */
export function guardedWallet(wallet: OperatorWallet, options: WalletGuardOptions): OperatorWallet {
  const { callsPerOperator, callsWhileFailing, reportsPerOperator, onWithheld } = options;
  const breaker: Breaker = createBreaker(options);
  const calls = createSlots(callsPerOperator);
  const reports = createSlots(reportsPerOperator);

  function withheld(operatorId: string, operation: string, why: Withheld): NotSent {
    onWithheld?.(operatorId, operation, why);
    const reason =
      why === 'failing'
        ? 'not sent: the wallet is failing'
        : 'not sent: too many calls to this wallet at the same time';
    return { kind: 'no-response', reason, unsent: true };
  }

  /** Sends a call that may be withheld: a bet or a balance read. */
  async function optional<T extends { kind: string }>(
    operatorId: string,
    operation: string,
    send: () => Promise<{ answer: T; answered: boolean }>,
  ): Promise<T | NotSent> {
    const release = calls.tryAcquire(operatorId);
    if (release === undefined) return withheld(operatorId, operation, 'busy');
    const note = breaker.admit(operatorId);
    if (note === undefined) {
      release();
      return withheld(operatorId, operation, 'failing');
    }
    let answered = false;
    try {
      const sent = await send();
      answered = sent.answered;
      return sent.answer;
    } finally {
      release();
      note(answered);
    }
  }

  async function due(
    operatorId: string,
    operation: string,
    send: () => Promise<WalletAnswer>,
  ): Promise<WalletAnswer> {
    const most = breaker.isFailing(operatorId) ? callsWhileFailing : callsPerOperator;
    const release = calls.tryAcquire(operatorId, most);
    if (release === undefined) return withheld(operatorId, operation, 'busy');
    try {
      const answer = await send();
      breaker.note(operatorId, isAnswered(answer));
      return answer;
    } finally {
      release();
    }
  }

  return {
    doTransactions(operator, request) {
      const { operatorId } = operator;
      const send = (): Promise<WalletAnswer> => wallet.doTransactions(operator, request);
      if (request.call.purpose !== 'debit') return due(operatorId, request.call.purpose, send);
      return optional(operatorId, 'debit', async () => {
        const answer = await send();
        return { answer, answered: isAnswered(answer) };
      });
    },
    async getBalance(operator, request) {
      const answer = await optional(operator.operatorId, 'getBalance', async () => {
        const balance = await wallet.getBalance(operator, request);
        const answered = balance.kind !== 'unavailable' || balance.answered === true;
        return { answer: balance, answered };
      });
      return answer.kind === 'no-response' ? { kind: 'unavailable', reason: answer.reason } : answer;
    },
    async doGameRoundReport(operator: OperatorAddress, gameRoundDetail) {
      const release = reports.tryAcquire(operator.operatorId);
      if (release === undefined) {
        throw new Error(withheld(operator.operatorId, 'report', 'busy').reason);
      }
      try {
        await wallet.doGameRoundReport(operator, gameRoundDetail);
      } finally {
        release();
      }
    },
    close: () => wallet.close(),
  };
}

/** A 5xx with an errorCode comes from the wallet itself, so the wallet is alive. A proxy in front of it would send no errorCode. */
function isAnswered(answer: WalletAnswer): boolean {
  if (answer.kind !== 'answer') return false;
  if (answer.status < 500 && answer.status !== 408) return true;
  return errorIn(answer.body, answer.status) !== undefined;
}
