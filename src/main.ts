import { serveApi } from './api';
import { openFoundation } from './foundation';
import { runProcess } from './lifecycle';

/** The API process. Runs until SIGTERM, SIGINT or the end of the process that started it. */
runProcess(async () => {
  const foundation = await openFoundation('api');
  await serveApi(foundation);
  await foundation.close();
});
