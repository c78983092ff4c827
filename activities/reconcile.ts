import { ApplicationFailure } from '@temporalio/activity';
import type { OperatorWallet } from '../src/clients/types';
import type { ReconcileActivities } from '../src/contracts/reconcile';
import { NOTHING_TO_RESEND, readReconcileAnswer, transactionsToResend } from '../src/domain/round/reconcile';
import { FAILURE_TYPES } from './failures';
import type { RoundControl, TenantLookup } from './types';

export interface ReconcileDependencies {
  tenants: TenantLookup;
  wallet: OperatorWallet;
  control: RoundControl;
}

export function createReconcileActivities({
  tenants,
  wallet,
  control,
}: ReconcileDependencies): ReconcileActivities {
  return {
    async closeAndRead(gameround) {
      const refused = await control.closeGently(gameround);
      const round = await control.read(gameround);
      if (round === undefined) {
        throw ApplicationFailure.nonRetryable('there is no such round', FAILURE_TYPES.roundNotFound);
      }
      return { round, refused };
    },
    async resend(round) {
      const transactions = transactionsToResend(round);
      const isAccepted = round.transactions.some(
        ({ outcome }) => outcome === 'accepted' || outcome === 'unknown',
      );
      if (!isAccepted || transactions.length === 0) return NOTHING_TO_RESEND;
      const { operatorId, playerId, gameCode, gameround } = round.identity;
      const operator = await tenants.operator(operatorId);
      const answer = await wallet.doTransactions(operator, {
        playerId,
        gameCode,
        gameRound: gameround,
        call: { purpose: 'credit', transactions },
      });
      return readReconcileAnswer(transactions, answer, operator.strictReplies);
    },
    async settleCrashed(gameround, accepted) {
      await control.settleCrashed(gameround, accepted);
      const round = await control.read(gameround);
      if (round === undefined) throw new Error('the round can not be read');
      return round;
    },
  };
}
