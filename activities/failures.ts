/** Failure types of the activities, as they stand in Temporal Web. */
export const FAILURE_TYPES = {
  /** A credit or void that the wallet has not settled yet; it is sent again. */
  walletOutcomeOpen: 'WalletNotSettled',
  roundNotFound: 'RoundNotFound',
  /** The provider did not close the round. */
  autoCloseFailed: 'AutoCloseFailed',
} as const;
