import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import type { OperatorWallet } from '../src/clients/types';
import type { ReconcileActivities } from '../src/contracts/reconcile';
import { NOTHING_TO_RESEND, readReconcileAnswer, transactionsToResend } from '../src/domain/round/reconcile';
import type { WalletCall } from '../src/domain/wallet-call';
import { reportOf } from '../src/domain/wallet-rules';
import type { Rounds } from '../src/read-model/rounds';
import { FAILURE_TYPES } from './failures';
import type { Observe, RoundControl, TenantLookup } from './types';

export interface ReconcileDependencies {
  rounds: Pick<Rounds, 'confirmVoids'>;
  tenants: TenantLookup;
  wallet: OperatorWallet;
  control: RoundControl;
  observe: Observe;
}

export function createReconcileActivities({
  rounds,
  tenants,
  wallet,
  control,
  observe,
}: ReconcileDependencies): ReconcileActivities {
  return {
    async closeAndRead(gameround) {
      const rejected = await control.closeForReconciliation(gameround);
      const round = await control.read(gameround);
      if (round === undefined) {
        throw ApplicationFailure.nonRetryable('there is no such round', FAILURE_TYPES.roundNotFound);
      }
      return { round, rejected };
    },
    async resend(round) {
      const transactions = transactionsToResend(round);
      const isAccepted = round.transactions.some(
        ({ outcome }) => outcome === 'accepted' || outcome === 'unknown',
      );
      if (!isAccepted || transactions.length === 0) return NOTHING_TO_RESEND;
      const { operatorId, playerId, gameCode, gameround } = round.identity;
      const operator = await tenants.operator(operatorId);
      const call: WalletCall = { purpose: 'credit', transactions };
      const answer = await wallet.doTransactions(operator, {
        playerId,
        gameCode,
        gameRound: gameround,
        call,
      });
      const outcome = readReconcileAnswer(transactions, answer, operator.strictReplies);
      const { attempt } = activityInfo();
      observe({
        ...{ operatorId, gameround, purpose: 'reconcile', attempt },
        ...reportOf(call, answer, outcome),
      });
      return outcome;
    },
    confirmVoids: (gameround) => rounds.confirmVoids(gameround),
    async settleCrashed(gameround, accepted) {
      await control.resolveCrashed(gameround, accepted);
      const round = await control.read(gameround);
      if (round === undefined) throw new Error('the round cannot be read');
      return round;
    },
  };
}
