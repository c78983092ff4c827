import { commandPorts } from './command-ports';
import { repairRecords } from './commands/repair-records';
import { TASK_QUEUE } from './contracts/gameround';
import { openFoundation } from './foundation';
import { runProcess } from './process';
import { createRoundQueries } from './queries/rounds';

/** `npm run repair-records -- --since 2026-01-02T03:04:05Z`, after a database was restored; see docs/operations.md. */
runProcess(async () => {
  const [option, value = ''] = process.argv.slice(2);
  const since = new Date(value);
  if (option !== '--since' || Number.isNaN(since.getTime()))
    throw new Error('usage: npm run repair-records -- --since <the time of the copy, ISO 8601>');
  const foundation = await openFoundation('repair-records');
  const { guards, rounds, tenants, outbound, temporal, logger } = foundation;
  const queries = createRoundQueries(rounds, guards);
  const ports = commandPorts({ guards, rounds, queries, tenants, wallet: outbound.wallet });
  const repaired = await repairRecords(
    temporal.client,
    { ...ports, openRecords: () => rounds.open() },
    since,
    TASK_QUEUE,
  );
  const { failed, ...done } = repaired;
  for (const round of failed) logger.error(round, 'a round could not be looked at');
  logger.info({ ...done, failed: failed.length }, 'records repaired');
  if (failed.length > 0) process.exitCode = 1;
  await foundation.close();
});
