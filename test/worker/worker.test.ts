import { NativeConnection } from '@temporalio/worker';
import type { Activities } from '../../activities';
import { createWorker } from '../../worker/worker';
import { required } from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

test('a worker that was frozen in the middle of a task may finish it: it isn’t ended for that', async () => {
  const connection = await NativeConnection.connect({ address: required('TEST_TEMPORAL_ADDRESS') });
  const workflows = { bundlePath: await workflowBundle() };
  const activities = {} as Activities;
  const worker = await createWorker({ connection, namespace: 'default', activities, workflows });
  expect(worker.options.isolateExecutionTimeoutMs).toBe(300_000);
  const running = worker.run();
  worker.shutdown();
  await running;
  await connection.close();
});
