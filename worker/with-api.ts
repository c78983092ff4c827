import { serveApi } from '../src/api';
import { openFoundation } from '../src/foundation';
import { runProcess } from '../src/lifecycle';
import { runWorker } from './run';

/**
 * API and worker in one process, so that most answers need no way through the Temporal server. Runs until SIGTERM, SIGINT or
 * the end of the process that started it. The worker stops after the API, since calls of the API need it.
 */
runProcess(async () => {
  const foundation = await openFoundation('service');
  const apiStopped = new AbortController();
  const working = runWorker(foundation, apiStopped.signal);
  const serving = serveApi(foundation).finally(() => apiStopped.abort());
  await Promise.all([working, serving]);
  await foundation.close();
});
