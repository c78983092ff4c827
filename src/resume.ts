import { resumeRounds } from './commands/resume-rounds';
import { openFoundation } from './foundation';
import { runProcess } from './process';

/** `npm run resume -- --operator op1`, once its secrets are right again; see docs/operations.md. */
runProcess(async () => {
  const [option, operatorId = ''] = process.argv.slice(2);
  if (option !== '--operator' || operatorId === '')
    throw new Error('usage: npm run resume -- --operator <operatorId>');
  const foundation = await openFoundation('resume');
  const rounds = await resumeRounds(foundation.temporal.client, operatorId);
  foundation.logger.info({ operatorId, rounds }, 'waiting rounds resumed');
  await foundation.close();
});
