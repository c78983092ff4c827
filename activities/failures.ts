/** Failure types of the activities, as Temporal Web shows them. */
export const FAILURE_TYPES = {
  /** The wallet gave no definite outcome for a credit or void; it is sent again. */
  walletOutcomeOpen: 'WalletNotSettled',
  roundNotFound: 'RoundNotFound',
  /** The provider did not close the round. */
  autoCloseFailed: 'AutoCloseFailed',
} as const;
