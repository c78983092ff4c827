import type { Client } from '@temporalio/client';

const REPORT_MS = 2_000;

/** Reports of the attempts of activities to the server (activities/types.ts). */
export interface Attempts {
  report(taskToken: Uint8Array, done: unknown): Promise<void>;
}

export function createAttempts(client: Client): Attempts {
  return {
    report: (taskToken, done) =>
      client.withDeadline(Date.now() + REPORT_MS, () => client.activity.heartbeat(taskToken, done)),
  };
}
