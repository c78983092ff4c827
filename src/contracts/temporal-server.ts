/* What activities ask the Temporal server about themselves, and what they tell it. */

/** The attempts of an activity, as the Temporal server knows them. */
export interface Attempts {
  /**
   * Tells the server what this attempt has done, and waits until that is stored. A later attempt gets it as its heartbeat
   * details. Rejects if the server does not take the attempt for the current one.
   */
  report(taskToken: Uint8Array, done: unknown): Promise<void>;
}

/** Times by the Temporal server's clock; milliseconds since the epoch. */
export interface ServerTimes {
  /** When the running attempt of an activity started. */
  startedAt(workflow: WorkflowRun, activityId: string): Promise<number>;
  /**
   * The time of the oldest signal of this name that the workflow received with the task that starts with this event;
   * undefined if there was none.
   */
  signalledAt(workflow: WorkflowRun, name: string, taskStartedEventId: number): Promise<number | undefined>;
}

interface WorkflowRun {
  workflowId: string;
  runId: string;
}
