import { setTimeout as sleep } from 'node:timers/promises';
import { createHealth } from '../../src/http/health';
import { createWorkerLiveness } from '../../src/worker-liveness';
import { machineClock } from '../support/clock';

afterEach(() => jest.restoreAllMocks());

test('a result is kept for a second, also if the clock is set back meanwhile', async () => {
  const down = (): Promise<void> => Promise.reject(new Error('down'));
  const up = (): Promise<void> => Promise.resolve();
  let mongodb = down;
  const clock = machineClock();
  const health = createHealth({ temporal: up, worker: up, mongodb: () => mongodb() });
  expect((await health.check()).missing).toEqual(['mongodb']);
  mongodb = up;
  clock.setBack();
  expect((await health.check()).missing).toEqual(['mongodb']);
  await sleep(1_010);
  expect((await health.check()).missing).toEqual([]);
});

describe('a worker counts as alive', () => {
  const START = Date.now();
  let elapsed: number;
  let isThere: ReturnType<typeof createWorkerLiveness>;
  beforeEach(() => {
    elapsed = 0;
    isThere = createWorkerLiveness(() => elapsed);
  });
  const at = (afterMs: number, identity = '1@worker') => ({ identity, lastAccessMs: START + afterMs });

  it('for 70 s after it asked for work', () => {
    expect(isThere([])).toBe(false);
    expect(isThere([at(0)])).toBe(true);
    elapsed = 70_000;
    expect(isThere([at(0)])).toBe(true);
    elapsed = 70_001;
    expect(isThere([at(0)])).toBe(false);
    expect(isThere([at(60_000)])).toBe(true);
  });

  it('when one of several asked for work', () => {
    isThere([at(0, 'a'), at(0, 'b')]);
    elapsed = 71_000;
    expect(isThere([at(0, 'a'), at(60_000, 'b')])).toBe(true);
  });

  it('again, when the server has forgotten it and it comes back', () => {
    isThere([at(0)]);
    expect(isThere([])).toBe(false);
    expect(isThere([at(1_000)])).toBe(true);
  });

  it('at once when it is new, whatever time the clocks have', () => {
    expect(isThere([])).toBe(false);
    expect(isThere([at(-900_000)])).toBe(true);
  });

  it('not if the server only remembers it from before the first look', () => {
    expect(isThere([at(-71_000)])).toBe(false);
    expect(isThere([at(-71_000)])).toBe(false);
  });

  it.each([
    ['behind', -900_000],
    ['ahead', 900_000],
  ])('also if the server’s clock is %s', (_what, skewMs) => {
    isThere([at(skewMs)]);
    elapsed = 60_000;
    expect(isThere([at(skewMs + 60_000)])).toBe(true);
    elapsed = 130_001;
    expect(isThere([at(skewMs + 60_000)])).toBe(false);
  });
});
