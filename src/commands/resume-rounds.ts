import type { Client } from '@temporalio/client';
import { resumeSignal } from '../contracts/gameround';

/**
 * Signals every waiting round of an operator to send again what was refused for its signature. Returns how many rounds
 * were signalled. The search does not find a round that began to wait a moment ago; a second run does no harm.
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
