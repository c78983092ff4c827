import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { playerOf, until } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** Rounds before the first measurement: what is loaded or compiled once is there by then. */
const WARM = 30;
const ROUNDS = 30;
/** The least of these counts: what jest itself keeps or lets go of meanwhile is in some of them. */
const MEASUREMENTS = 4;
/** JavaScript memory of an idle open round in a worker's cache: about 65 KiB, 200 if each round loads the code. */
const MAX_KIB_PER_ROUND = 130;

let harness: RoundsHarness;
let debug: string | undefined;

beforeAll(async () => {
  // The SDK runs the workflows in this thread then, where their memory can be measured.
  debug = process.env.TEMPORAL_DEBUG;
  process.env.TEMPORAL_DEBUG = 'true';
  setFlagsFromString('--expose-gc');
  harness = await startRounds({ walletTimeoutMs: 30_000 });
  // The first round's workflow is compiled in the thread in which wallet and database answer: a call may be late by that.
  await openRound();
});

afterAll(async () => {
  await harness?.stop();
  if (debug === undefined) delete process.env.TEMPORAL_DEBUG;
  else process.env.TEMPORAL_DEBUG = debug;
});

test('an idle open round takes little of a worker’s memory: its workflow’s code is there once for all rounds', async () => {
  await openRounds(WARM);
  const perRound: number[] = [];
  for (let count = 0; count < MEASUREMENTS; count += 1) {
    const before = usedKib();
    await openRounds(ROUNDS);
    perRound.push((usedKib() - before) / ROUNDS);
  }
  expect(Math.min(...perRound)).toBeLessThan(MAX_KIB_PER_ROUND);
});

async function openRound(): Promise<void> {
  const open = (): Promise<string | undefined> =>
    playerOf(harness)
      .open()
      .catch(() => undefined);
  await until(open, (hash) => hash !== undefined);
}

async function openRounds(count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 10) {
    // Workflows and wallet share this thread: a call may be late on a busy machine. Its round is another one then.
    await Promise.all(Array.from({ length: 10 }, openRound));
  }
}

function usedKib(): number {
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_024;
}
