import { resumeRounds } from './commands/resume-rounds';
import { openFoundation } from './foundation';
import { PersonNeededError, runProcess } from './lifecycle';

/** `npm run resume -- --operator op1`, once its secrets are right again; see docs/operations.md. */
runProcess(async () => {
  const [option, operatorId = '', ...others] = process.argv.slice(2);
  if (option !== '--operator' || operatorId === '' || others.length > 0)
    throw new PersonNeededError('usage: npm run resume -- --operator <operatorId>');
  const foundation = await openFoundation('resume');
  if (foundation.tenants.operator(operatorId) === undefined) {
    const name = JSON.stringify(operatorId);
    throw new PersonNeededError(`there is no operator ${name} in MongoDB`);
  }
  const rounds = await resumeRounds(foundation.temporal.client, operatorId);
  foundation.logger.info({ operatorId, rounds }, 'waiting rounds resumed');
  await foundation.close();
});
