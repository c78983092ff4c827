/** The attempts of an activity, as the Temporal server knows them. */
export interface Attempts {
  /**
   * Tells the server what this attempt has done, and waits until that is stored. A later attempt gets it as its heartbeat
   * details. Rejects if the server does not take the attempt for the current one.
   */
  report(taskToken: Uint8Array, done: unknown): Promise<void>;
}
