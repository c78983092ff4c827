import { log } from '@temporalio/activity';

/** Logs a failure that is not passed on, and returns what to go on with. */
export function goOnWith<T>(value: T, what: string): (error: unknown) => T {
  return (error) => {
    log.warn(what, { reason: String(error) });
    return value;
  };
}

/** Failure types of the activities, as Temporal Web shows them. */
export const FAILURE_TYPES = {
  /** The wallet gave no definite outcome for a credit or void; it is sent again. */
  walletOutcomeOpen: 'WalletOutcomeOpen',
  roundNotFound: 'RoundNotFound',
  /** The provider did not close the round. */
  autoCloseFailed: 'AutoCloseFailed',
} as const;
