import { openFoundation } from '../src/foundation';
import { runProcess } from '../src/lifecycle';
import { runWorker } from './run';

/** The worker process. Runs until SIGTERM, SIGINT or the end of the process that started it. */
runProcess(async () => {
  const foundation = await openFoundation('worker');
  await runWorker(foundation, foundation.stopped);
  await foundation.close();
});
