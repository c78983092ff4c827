import type { ActivateInput } from '@temporalio/workflow';
import { interceptors } from '../../workflows/events-before-their-task';

/* Which activations are refused; test/workflows/cold-query.test.ts has the rounds that need it. */

type Activation = ActivateInput['activation'];
type Job = 'signalWorkflow' | 'doUpdate' | 'resolveActivity' | 'fireTimer' | 'queryWorkflow' | 'cancelled';

/** An activation after so many events, of a task that the server began at that second. */
function activation(
  historyLength: number,
  second: number,
  jobs: Job[],
  historySizeBytes = 100 * second,
): Activation {
  const timestamp = { seconds: second, nanos: 5 };
  const activated = {
    ...{ historyLength, historySizeBytes, timestamp },
    jobs: jobs.map((job) =>
      job === 'cancelled' ? { resolveActivity: { result: { cancelled: {} } } } : { [job]: {} },
    ),
  };
  return activated as unknown as Activation;
}

/** Whether a run takes the last of these activations, as it took all before. */
function takes(...activations: Activation[]): boolean {
  const [interceptor] = interceptors().internals ?? [];
  const next = jest.fn();
  const run = (one: Activation) => interceptor?.activate?.({ activation: one, batchIndex: 0 }, next);
  const last = activations.pop()!;
  activations.forEach(run);
  next.mockClear();
  try {
    run(last);
  } catch {
    expect(next).not.toHaveBeenCalled();
    return false;
  }
  expect(next).toHaveBeenCalledTimes(1);
  return true;
}

const before = activation(10, 1, ['resolveActivity']);

test.each<[string, boolean, Activation[]]>([
  ['a first one', true, [activation(3, 1, ['signalWorkflow'])]],
  ['events of the next task', true, [before, activation(15, 2, ['signalWorkflow', 'doUpdate'])]],
  ['a query of the same task', true, [before, activation(10, 1, ['queryWorkflow'])]],
  ['a query after new events', true, [before, activation(15, 1, ['queryWorkflow'])]],
  ['new events without their task', false, [before, activation(15, 1, ['signalWorkflow'])]],
  ['a result without its task', false, [before, activation(15, 1, ['resolveActivity'])]],
  ['an update apart from its task', false, [before, activation(10, 1, ['doUpdate'])]],
  ['a signal apart from its task', false, [before, activation(10, 1, ['signalWorkflow'])]],
  ['what the code itself has cancelled', true, [before, activation(10, 1, ['cancelled'])]],
  ['what was cancelled, without its task', false, [before, activation(15, 1, ['cancelled'])]],
  // As many events as the task before, which has left none: its update was refused.
  ['a timer apart from its task', false, [before, activation(10, 1, ['fireTimer'])]],
  ['a result apart from its task', false, [before, activation(10, 1, ['resolveActivity'])]],
  ['a task of the same size', true, [before, activation(15, 2, ['signalWorkflow'], 100)]],
  ['a clock that was set back', true, [before, activation(15, 1, ['signalWorkflow'], 200)]],
  [
    'a server that tells no sizes',
    true,
    [activation(10, 1, ['doUpdate'], 0), activation(15, 1, ['signalWorkflow'], 0)],
  ],
])('%s: taken %s', (_, taken, activations) => {
  expect(takes(...activations)).toBe(taken);
});
