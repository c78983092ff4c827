import { z } from 'zod';
import { commandPorts } from './command-ports';
import { repairRecords } from './commands/repair-records';
import { TASK_QUEUE } from './contracts/gameround';
import { openFoundation } from './foundation';
import { PersonNeededError, runProcess } from './lifecycle';
import { createRoundQueries } from './queries/rounds';
import { ensureRoundIndexes } from './read-model/rounds';

/** `npm run repair-records -- --since 2026-01-02T03:04:05Z`, after a database was restored; see docs/operations.md. */
runProcess(async () => {
  const [option, value, ...others] = process.argv.slice(2);
  const time = z.iso.datetime({ offset: true }).safeParse(value);
  if (option !== '--since' || !time.success || others.length > 0) {
    const example = '2026-01-02T03:04:05Z';
    throw new PersonNeededError(`usage: npm run repair-records -- --since <time of the copy: ${example}>`);
  }
  const foundation = await openFoundation('repair-records');
  const { guards, rounds, tenants, outbound, temporal, logger } = foundation;
  // A copy that was put back into a dropped database may come without its indexes.
  await ensureRoundIndexes(rounds);
  const queries = createRoundQueries(rounds, guards);
  const ports = commandPorts({ guards, rounds, queries, tenants, wallet: outbound.wallet, logger });
  const repaired = await repairRecords(
    temporal.client,
    { ...ports, unfinishedRecords: (since) => rounds.unfinished(since) },
    new Date(time.data),
    TASK_QUEUE,
  );
  const { failed, ...done } = repaired;
  for (const round of failed) logger.error(round, 'a round could not be looked at');
  logger.info({ ...done, failed: failed.length }, 'records repaired');
  if (failed.length > 0) process.exitCode = 1;
  await foundation.close();
});
