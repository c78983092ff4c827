import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../contracts/gameround';
import { ERRORS, refuse, RefusedError, type ErrorObject } from '../domain/errors';
import { RECONCILE } from '../domain/round/keys';
import type { RoundSnapshot } from '../domain/round/types';
import { createRoundClient } from './round-client';

export interface RoundControl {
  closeForReconciliation(gameround: string): Promise<ErrorObject | undefined>;
  resolveCrashed(gameround: string, accepted: string[]): Promise<void>;
  read(gameround: string): Promise<RoundSnapshot | undefined>;
}

/** Steps of reconciliation, by the round's own commands and queue. */
export function createRoundControl(
  client: Client,
  findRecord: (gameround: string) => Promise<RoundSnapshot | undefined>,
  taskQueue = TASK_QUEUE,
): RoundControl {
  const rounds = createRoundClient(client, taskQueue);
  return {
    async closeForReconciliation(gameround) {
      const end = { type: 'end', key: RECONCILE, reason: RECONCILE, forReconciliation: true } as const;
      // It is tried for as long as the round waits for its wallet: only the first time leaves something in the history.
      const reply = await rounds.signalThenUpdate(gameround, end, undefined, { isWaiting: true });
      if (reply === 'gone') {
        // Somebody has ended the workflow by force: the round has to be repaired first (docs/operations.md).
        const isOpen = (await rounds.state(gameround))?.status === 'open';
        if (isOpen) throw refuse('SERVICEUNAVAILABLE');
        return undefined;
      }
      if (reply.refusal === undefined) return undefined;
      if (reply.refusal.status === 503) throw new RefusedError(reply.refusal);
      // Over or crashed already: there is nothing to close. Otherwise this closing was refused, and crashed the round.
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
    /** From the workflow, which replays a closed round from its history; past retention from the record. */
    read: async (gameround) => (await rounds.state(gameround)) ?? findRecord(gameround),
  };
}
