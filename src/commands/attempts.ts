import type { Client } from '@temporalio/client';
import type { Attempts } from '../contracts/temporal-server';

const REPORT_MS = 2_000;

export function createAttempts(client: Client): Attempts {
  return {
    report: (taskToken, done) =>
      client.withDeadline(Date.now() + REPORT_MS, () => client.activity.heartbeat(taskToken, done)),
  };
}
