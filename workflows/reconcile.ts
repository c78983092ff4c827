import { proxyActivities } from '@temporalio/workflow';
import type { ReconcileActivities, ReconcileResult } from '../src/contracts/reconcile';
import { moneyText } from '../src/domain/money';
import { confirmsVoids, settledBy } from '../src/domain/round/reconcile';
import { totals } from '../src/domain/round/replies';
import { CLOSE_FOR_RECONCILE, RESEND, RESOLVE_CRASHED } from './policies';

const { closeAndRead } = proxyActivities<Pick<ReconcileActivities, 'closeAndRead'>>(CLOSE_FOR_RECONCILE);
const { resend } = proxyActivities<Pick<ReconcileActivities, 'resend'>>(RESEND);
const { confirmVoids } = proxyActivities<Pick<ReconcileActivities, 'confirmVoids'>>(RESOLVE_CRASHED);
const { settleCrashed } = proxyActivities<Pick<ReconcileActivities, 'settleCrashed'>>(RESOLVE_CRASHED);

/**
 * Reconciles a round with its operator (docs/interface#reconcile-transactions): closes an open round, sends every transaction
 * again and returns the operator's reply. If the operator rejects the close for good, the round is crashed. A crashed round is
 * closed if the operator accepted all that it owed. A reply can confirm a void that nothing had confirmed.
 */
export async function reconcile(gameround: string): Promise<ReconcileResult> {
  const { round, rejected } = await closeAndRead.executeWithOptions(
    { summary: 'close the round if it is open, and read it' },
    [gameround],
  );
  if (rejected !== undefined) {
    return { outcome: { kind: 'rejected', hashesProcessed: [], errorCode: rejected }, round };
  }
  const { operatorId, currency } = round.identity;
  const { totalBetAmount, totalWinAmount } = totals(round);
  const summary =
    `send every transaction again to ${operatorId}: ` +
    `bets ${moneyText(totalBetAmount, currency)}, wins ${moneyText(totalWinAmount, currency)} so far`;
  const outcome = await resend.executeWithOptions({ summary }, [round]);
  if (round.attention.includes('void-unconfirmed') && confirmsVoids(round, outcome)) {
    await confirmVoids.executeWithOptions({ summary: 'the operator has confirmed the void' }, [gameround]);
  }
  const accepted = round.crashed ? settledBy(round, outcome) : undefined;
  if (accepted === undefined) return { outcome, round };
  const closing = { summary: `end the crashed round: ${operatorId} has accepted what was owed` };
  return { outcome, round: await settleCrashed.executeWithOptions(closing, [gameround, accepted]) };
}
