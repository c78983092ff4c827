import { WorkflowFailedError, type Client } from '@temporalio/client';
import { TASK_QUEUE } from '../contracts/gameround';
import { attributesOf } from '../contracts/search-attributes';
import { RECONCILE_WORKFLOW, reconcileWorkflowIdOf, type ReconcileResult } from '../contracts/reconcile';
import { refuse } from '../domain/errors';
import type { RoundSnapshot } from '../domain/round/types';
import { commandDeadline, TASK_TIMEOUT, withinCommandTime } from './deadline';

/**
 * Reconciles a round with its operator (docs/interface#reconcile-transactions). A repeat joins the run in progress. If a run
 * takes longer than the command's time, the caller gets 503 OPERATIONBEINGPROCESSED and can repeat the call.
 * Rejects with GAMEROUNDNOTFOUND if the round belongs to another operator.
 */
export function createReconciliation(
  client: Client,
  describeRound: (gameround: string) => Promise<RoundSnapshot | undefined>,
  taskQueue = TASK_QUEUE,
): (operatorId: string, gameround: string) => Promise<ReconcileResult> {
  return async (operatorId, gameround) => {
    const deadline = commandDeadline();
    const round = await describeRound(gameround);
    if (round === undefined || round.identity.operatorId !== operatorId) throw refuse('GAMEROUNDNOTFOUND');
    return withinCommandTime(
      client,
      async () => {
        const handle = await client.workflow.start<(gameround: string) => Promise<ReconcileResult>>(
          RECONCILE_WORKFLOW,
          {
            workflowId: reconcileWorkflowIdOf(gameround),
            taskQueue,
            args: [gameround],
            workflowTaskTimeout: TASK_TIMEOUT,
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            typedSearchAttributes: attributesOf(round.identity),
            staticSummary: `reconciles ${gameround} with ${operatorId}`,
          },
        );
        try {
          return await handle.result();
        } catch (error) {
          // The only attempt of the call failed (a worker died). The operator may have processed it.
          if (error instanceof WorkflowFailedError) throw refuse('WALLETUNAVAILABLE');
          throw error;
        }
      },
      { deadline },
    );
  };
}
