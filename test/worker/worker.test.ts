import { NativeConnection } from '@temporalio/worker';
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm';
import type { Activities } from '../../activities';
import { createWorker } from '../../worker/worker';
import { required } from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

test('a worker that was frozen in the middle of a task may finish it: it isn’t ended for that', async () => {
  const connection = await NativeConnection.connect({ address: required('TEST_TEMPORAL_ADDRESS') });
  const workflows = { bundlePath: await workflowBundle() };
  const activities = {} as Activities;
  const create = jest.spyOn(ThreadedVMWorkflowCreator, 'create');
  const worker = await createWorker({ connection, namespace: 'default', activities, workflows });
  // Workflow code has no limit on its time.
  expect(create).toHaveBeenCalledTimes(1);
  expect(create.mock.calls[0]?.[0].isolateExecutionTimeoutMs).toBeUndefined();
  const running = worker.run();
  worker.shutdown();
  await running;
  await connection.close();
});
