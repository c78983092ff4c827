import type { ActivityOptions } from '@temporalio/workflow';
import { MAX_WALLET_TIMEOUT_MS } from '../src/domain/wallet-call';

/** Every timeout and retry of the workflows; durations in milliseconds. */

/**
 * Longer than any tenant's walletTimeout: the wallet client ends a delivery by the time-out that the tenant has today.
 * Signing, the guard, the record before and after it, and the network come on top. That a worker is gone is told by its heartbeats.
 */
const DELIVERY_MS = MAX_WALLET_TIMEOUT_MS + 15_000;

/** A worker in a wallet call gives a sign of life every second; without one for this long it is taken for dead. */
const WORKER_DEATH_MS = 5_000;

/** One delivery. A further attempt follows only a worker's death or a failure before anything was sent. */
export const DELIVERY: ActivityOptions = {
  startToCloseTimeout: DELIVERY_MS,
  heartbeatTimeout: WORKER_DEATH_MS,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumAttempts: 5 },
};

/** A bet waits for a worker as long as it may be sent, and is attempted again until the database has said what became of it. */
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

/** A bet whose worth is not known by then, its time being over, is marked for a person. */
export const BET_WARN_MS = 2_000;

/** From the failed first delivery to the first retry, then doubling. */
export const FIRST_RETRY_MS = 1_000;

/** Between two deliveries of a credit or void that is being retried. */
export const MAX_RETRY_MS = 60_000;

/**
 * Credits and voids, until they are settled (docs/interface#retry-rule). After an hour the activity returns what it knows
 * (activities/deliver.ts), so that a round can go on in a new run, and is begun again.
 */
export function untilDefinite(firstMs = 2 * FIRST_RETRY_MS): ActivityOptions {
  return {
    startToCloseTimeout: DELIVERY_MS,
    heartbeatTimeout: WORKER_DEATH_MS,
    retry: { initialInterval: firstMs, backoffCoefficient: 2, maximumInterval: MAX_RETRY_MS },
    // A person may end the retries: what is on its way is heard first.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  };
}

/** Whether the secrets of a call that was refused for its signature have changed; its attempts leave nothing in the history. */
export const NEW_SECRETS: ActivityOptions = {
  startToCloseTimeout: 10_000,
  retry: { initialInterval: 5_000, backoffCoefficient: 1.5, maximumInterval: 60_000 },
};

/** Another worker may read the old secrets still: a call that it refuses again must not come back at once. */
export const NEW_SECRETS_AFTER_MS = 5_000;

/** The read model gets two seconds within the command; a database that is down must not hold up money. */
export const FIRST_PROJECTION: ActivityOptions = {
  scheduleToCloseTimeout: 2_000,
  retry: { maximumAttempts: 1 },
};

export const PROJECTION: ActivityOptions = {
  startToCloseTimeout: 10_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
};

/** A record that isn't written by then is marked for a person. */
export const PROJECTION_WARN_MS = 2_000;

/** Each attempt stands by itself in the history: a round that is still open after a 200 is tried again as well. */
export const AUTO_CLOSE: ActivityOptions = { startToCloseTimeout: 35_000, retry: { maximumAttempts: 1 } };
export const AUTO_CLOSE_FIRST_RETRY_MS = 60_000;
export const AUTO_CLOSE_MAX_RETRY_MS = 3_600_000;

/** From here on a round goes on in a new run at its next pause. */
export const EVENTS_PER_RUN = 1_500;
export const UPDATES_PER_RUN = 100;
export const QUIET_MS = 200;

/**
 * From here on it does not wait for a pause. A worker that takes the round over replays some 1,400 events in a second, and
 * a quarter of a task's time (6 s) is for that. The server's own limits are far above: 51,200 events, 50 MiB, 2,000 updates.
 */
export const MAX_EVENTS_PER_RUN = 2_000;
export const MAX_BYTES_PER_RUN = 16 * 1024 * 1024;
export const MAX_UPDATES_PER_RUN = 1_500;

/** Ten answers to updates, and a record, go with one task at the most, and the server ends a round whose task has more than 4 MiB. */
export const MAX_STATE_REPLY_CHARS = 128 * 1024;

/** The provider's data about a closed round: asked for an hour, then the report goes without. */
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

/** A result or report that takes longer than this is marked for a person. */
export const POST_CLOSE_WARN_MS = 60_000;

/** The round retries its own credit; reconciliation waits for it. */
export const CLOSE_FOR_RECONCILE: ActivityOptions = {
  startToCloseTimeout: 15_000,
  retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 30_000 },
};

/** One call; an operator that can't be reached is told to the caller, who may try again. */
export const RESEND: ActivityOptions = { startToCloseTimeout: 65_000, retry: { maximumAttempts: 1 } };

export const RESOLVE_CRASHED: ActivityOptions = {
  startToCloseTimeout: 15_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
};
