import type { Client } from '@temporalio/client';
import { resumeSignal } from '../contracts/gameround';

/**
 * Signals every waiting round of an operator to retry the call whose signature was rejected. Returns how many rounds were
 * signalled. The search may miss a round that began to wait a moment ago. It is safe to run this again.
 */
export async function resumeRounds(client: Client, operatorId: string): Promise<number> {
  const query = `OperatorId = ${JSON.stringify(operatorId)} AND ExecutionStatus = 'Running' AND GameroundAttention IN ('credit-unauthorised', 'void-refused')`;
  let asked = 0;
  for await (const { workflowId } of client.workflow.list({ query })) {
    await client.workflow.getHandle(workflowId).signal(resumeSignal);
    asked += 1;
  }
  return asked;
}
