import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../contracts/gameround';
import { ERRORS, refuse, RefusedError, type ErrorObject } from '../domain/errors';
import { RECONCILE } from '../domain/round/keys';
import { needsWorkflow } from '../domain/round/restored';
import type { RoundSnapshot } from '../domain/round/types';
import { createRoundClient } from './round-client';
import { isOver } from './send-to-round';

export interface RoundControl {
  closeForReconciliation(gameround: string): Promise<ErrorObject | undefined>;
  resolveCrashed(gameround: string, accepted: string[]): Promise<void>;
  read(gameround: string): Promise<RoundSnapshot | undefined>;
}

/** The steps of a reconciliation, as commands in the queue of the round. */
export function createRoundControl(
  client: Client,
  findRecord: (gameround: string) => Promise<RoundSnapshot | undefined>,
  taskQueue = TASK_QUEUE,
): RoundControl {
  const rounds = createRoundClient(client, taskQueue);

  /**
   * Reads the round from its workflow, or from its record after retention. A terminated workflow may not have applied the last
   * outcome, which the record already shows. So a record that says "over" is final.
   */
  async function read(gameround: string): Promise<RoundSnapshot | undefined> {
    const state = await rounds.state(gameround);
    if (state !== undefined && state.status !== 'open') return state;
    const record = await findRecord(gameround);
    return state === undefined || isOver(record) ? record : state;
  }

  return {
    async closeForReconciliation(gameround) {
      const end = { type: 'end', key: RECONCILE, reason: RECONCILE, forReconciliation: true } as const;
      // Retried while the round waits for its wallet. With `isWaiting` only the first attempt leaves something in the history.
      const reply = await rounds.signalThenUpdate(gameround, end, undefined, { isWaiting: true });
      if (reply === 'gone') {
        // A person has terminated the workflow, or Temporal lost it. The round has to be repaired first (docs/operations.md).
        const round = await read(gameround);
        if (round !== undefined && needsWorkflow(round)) throw refuse('SERVICEUNAVAILABLE');
        return undefined;
      }
      if (reply.refusal === undefined) return undefined;
      if (reply.refusal.status === 503) throw new RefusedError(reply.refusal);
      // If the round is over or was crashed before, there is nothing to close. Otherwise the operator rejected this close,
      // which crashed the round.
      const { errorCode } = reply.refusal;
      const isJustRefused = reply.gameRoundInfo.status === 'open' && reply.isRepeat !== true;
      return isJustRefused && errorCode.id !== ERRORS.GAMEROUNDCRASHED.id ? errorCode : undefined;
    },
    async resolveCrashed(gameround, accepted) {
      await rounds.signalThenUpdate(gameround, {
        type: 'settle',
        key: RECONCILE,
        reason: RECONCILE,
        accepted,
      });
    },
    read,
  };
}
