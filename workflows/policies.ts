import type { ActivityOptions } from '@temporalio/workflow';
import { MAX_WALLET_TIMEOUT_MS } from '../src/domain/wallet-call';

/** Every timeout and retry of the workflows; durations in milliseconds. */

/**
 * Longer than any operator's walletTimeout, which ends a delivery in the wallet client. Signing, the guard, the record and
 * the network need additional time. Heartbeats detect a dead worker earlier.
 */
const DELIVERY_MS = MAX_WALLET_TIMEOUT_MS + 15_000;

/** A worker sends a heartbeat every second during a wallet call. Without one for this long it counts as dead. */
const WORKER_DEATH_MS = 5_000;

/** One delivery. It is attempted again only if the worker died or if it failed before anything was sent. */
export const DELIVERY: ActivityOptions = {
  startToCloseTimeout: DELIVERY_MS,
  heartbeatTimeout: WORKER_DEATH_MS,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumAttempts: 5 },
};

/** A bet waits for a worker only as long as it may be sent. It is attempted until the database says what became of it. */
export function betDelivery(leftMs?: number): ActivityOptions {
  return {
    ...DELIVERY,
    scheduleToStartTimeout: leftMs,
    retry: {
      initialInterval: 500,
      backoffCoefficient: 2,
      maximumInterval: leftMs === undefined ? 10_000 : 5_000,
    },
  };
}

/** A bet whose outcome is still unknown this long after its time is over is marked for a person. */
export const BET_WARN_MS = 2_000;

/** The pause between the failed first delivery and the first retry. It doubles after each retry. */
export const FIRST_RETRY_MS = 1_000;

/** The longest pause between two deliveries of a retried credit or void. */
export const MAX_RETRY_MS = 60_000;

/**
 * Retries a credit or void until its outcome is definite (docs/interface#retry-rule). After an hour the activity returns its
 * results (activities/deliver.ts), so that the round can continue as new, and is started again.
 */
export function untilDefinite(firstMs = 2 * FIRST_RETRY_MS): ActivityOptions {
  return {
    startToCloseTimeout: DELIVERY_MS,
    heartbeatTimeout: WORKER_DEATH_MS,
    retry: { initialInterval: firstMs, backoffCoefficient: 2, maximumInterval: MAX_RETRY_MS },
    // A person may end the retries. Wait for the result of the delivery in flight first.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  };
}

/** Polls for new secrets after a rejected signature. The attempts leave nothing in the history. */
export const NEW_SECRETS: ActivityOptions = {
  startToCloseTimeout: 10_000,
  retry: { initialInterval: 5_000, backoffCoefficient: 1.5, maximumInterval: 60_000 },
};

/** A pause before the poll: another worker may still use the old secrets, and its call would be rejected again at once. */
export const NEW_SECRETS_AFTER_MS = 5_000;

/** The read model gets two seconds within a command. A database that is down must not delay wallet calls. */
export const FIRST_PROJECTION: ActivityOptions = {
  scheduleToCloseTimeout: 2_000,
  retry: { maximumAttempts: 1 },
};

export const PROJECTION: ActivityOptions = {
  startToCloseTimeout: 10_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
};

/** A round whose record is not written after this time is marked for a person. */
export const PROJECTION_WARN_MS = 2_000;

/** One attempt per activity. The workflow itself repeats it, since it must also repeat after a 200 with the round still open. */
export const AUTO_CLOSE: ActivityOptions = { startToCloseTimeout: 35_000, retry: { maximumAttempts: 1 } };
export const AUTO_CLOSE_FIRST_RETRY_MS = 60_000;
export const AUTO_CLOSE_MAX_RETRY_MS = 3_600_000;

/** Above these limits a round continues as new at its next pause. */
export const EVENTS_PER_RUN = 1_500;
export const UPDATES_PER_RUN = 100;
export const QUIET_MS = 200;

/**
 * Above these limits it does not wait for a pause. Another worker replays about 1,400 events per second, and a quarter of a
 * task's time (6 s) is for the replay. The server's own limits are far higher: 51,200 events, 50 MiB, 2,000 updates.
 */
export const MAX_EVENTS_PER_RUN = 2_000;
export const MAX_BYTES_PER_RUN = 16 * 1024 * 1024;
export const MAX_UPDATES_PER_RUN = 1_500;

/** One task carries up to ten update answers and a record. The server ends a workflow whose task has more than 4 MiB. */
export const MAX_STATE_REPLY_CHARS = 128 * 1024;

/** getGameResult is retried for an hour. After that the report is sent without it. */
export const RESULT: ActivityOptions = {
  startToCloseTimeout: 15_000,
  scheduleToCloseTimeout: 3_600_000,
  retry: { initialInterval: 2_000, backoffCoefficient: 2, maximumInterval: 300_000 },
};

export const REPORT: ActivityOptions = {
  startToCloseTimeout: 65_000,
  scheduleToCloseTimeout: 24 * 3_600_000,
  retry: { initialInterval: 2_000, backoffCoefficient: 2, maximumInterval: 600_000 },
};

/** A round whose result or report takes longer than this is marked for a person. */
export const POST_CLOSE_WARN_MS = 60_000;

/** Retried while the round is still retrying its own credit: a reconciliation waits for that. */
export const CLOSE_FOR_RECONCILE: ActivityOptions = {
  startToCloseTimeout: 15_000,
  retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 30_000 },
};

/** One attempt. If the operator does not respond, the caller gets an error and may try again. */
export const RESEND: ActivityOptions = { startToCloseTimeout: 65_000, retry: { maximumAttempts: 1 } };

export const RESOLVE_CRASHED: ActivityOptions = {
  startToCloseTimeout: 15_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
};

/** It is repeated until the archive takes the histories. The first one may take days. */
export const EXPORT: ActivityOptions = {
  startToCloseTimeout: 7 * 24 * 3_600_000,
  heartbeatTimeout: 60_000,
  retry: { initialInterval: 5_000, backoffCoefficient: 2, maximumInterval: 300_000 },
};
