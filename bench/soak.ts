import { parseArgs } from 'node:util';
import { workflowIdOf } from '../src/contracts/gameround';
import type { E2eStack } from '../test/support/e2e-stack';
import { compareBooks, runningRounds } from './books';
import { Caller, seatPlayers, type BenchPlayer, type Seen } from './calls';
import { Figures, judge, print, printLoad, type Criterion } from './figures';
import { MemorySamples } from './memory';
import { longRound } from './play';
import { runBench, startBenchStack } from './stack';

/*
 * `npm run bench -- soak [--minutes 60 --rate 2]`: steady play for a long time. Compares memory, handles, the size of
 * histories and latency of the last quarter with the first. The first tenth of the time is warm-up and does not count.
 */

const PLAYERS = 20;
const SAMPLE_EVERY_MS = 10_000;
const WARM_UP = 0.1;

interface Sample {
  handles: { api: number; worker: number };
  historyEvents: number;
}

runBench(async (stopped) => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '2' } },
  });
  const seconds = Number(values.minutes) * 60;
  const stack = await startBenchStack();
  const caller = new Caller(stack.api, stack.provider, PLAYERS);
  try {
    const players = await seatPlayers(stack, caller, PLAYERS);
    printLoad('before');
    const memory = new MemorySamples(stack, ['api', 'worker', 'temporal', 'mongod'], 5_000);
    const samples: Sample[] = [];
    const quarters = [0, 1, 2, 3].map((at) => new Figures(`rounds of three calls, quarter ${at + 1}`));
    let last: string | undefined;
    const sampling = setInterval(() => {
      if (last === undefined) return;
      void sample(stack, last).then((one) => samples.push(one), console.error);
    }, SAMPLE_EVERY_MS);
    const began = performance.now();
    const failed: string[] = [];
    await steadily(players, Number(values.rate), seconds, stopped, (name, seen) => {
      if (seen.status !== 200) failed.push(`${name.trim()} ${seen.status} ${seen.body.errorCode?.msg ?? ''}`);
      if (name.startsWith(' ')) return;
      last = seen.body.gameRoundInfo?.hash ?? last;
      const progress = (performance.now() - began) / 1_000 / seconds;
      if (progress >= WARM_UP) quarters[quarterOf(progress)]?.add(seen.ms, seen.status);
    });
    clearInterval(sampling);
    memory.stop();
    const lasted = (performance.now() - began) / 1_000;
    quarters.forEach((quarter) => print(quarter.summary((lasted * (1 - WARM_UP)) / 4)));
    printLoad('after');
    const running = await runningRounds(stack, 0, 60_000);
    const books = await compareBooks(stack, 'op1');
    return judge([
      ...memoryCriteria(memory),
      ...sampleCriteria(samples),
      grows('latency, p50 in ms', quarters[0]!.percentile(50), quarters[3]!.percentile(50), 1.5, 20),
      grows('latency, p95 in ms', quarters[0]!.percentile(95), quarters[3]!.percentile(95), 2, 50),
      {
        name: 'every call was answered, every round closed, records and ledger agree',
        passed: failed.length === 0 && running === 0 && books.differences.length === 0 && books.voids === 0,
        seen:
          `${failed.length} failed ${failed.slice(0, 3).join('; ')}, ${running} running, ${books.rounds} records ` +
          `${JSON.stringify(books.byStatus)}, ${books.voids} voids, ${books.differences.length} differences`,
      },
    ]);
  } finally {
    await caller.close();
    await stack.close();
  }
});

/** The quarter of the time after the warm-up: 0 to 3. */
function quarterOf(progress: number): number {
  return Math.min(3, Math.floor((4 * (progress - WARM_UP)) / (1 - WARM_UP)));
}

/** Starts `rate` rounds a second, each by a free player. If no player is free, the round is left out. */
async function steadily(
  players: readonly BenchPlayer[],
  rate: number,
  seconds: number,
  stopped: AbortSignal,
  note: (name: string, seen: Seen) => void,
): Promise<void> {
  const free = [...players];
  const going = new Set<Promise<void>>();
  const began = performance.now();
  for (let at = began; at - began < seconds * 1_000 && !stopped.aborted; at += 1_000 / rate) {
    const pause = at - performance.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const player = free.shift();
    if (player === undefined) continue;
    const round = longRound(player, note).finally(() => {
      going.delete(round);
      free.push(player);
    });
    going.add(round);
  }
  await Promise.all(going);
}

async function sample(stack: E2eStack, gameRound: string): Promise<Sample> {
  const { historyLength } = await stack.temporal.workflow.getHandle(workflowIdOf(gameRound)).describe();
  const [api, worker] = await Promise.all([handlesOf(stack.admin.api), handlesOf(stack.admin.worker)]);
  return { handles: { api, worker }, historyEvents: historyLength };
}

async function handlesOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_active_handles_total (\d+)/m.exec(text)?.[1] ?? NaN);
}

function memoryCriteria(memory: MemorySamples): Criterion[] {
  return (['api', 'worker', 'temporal', 'mongod'] as const).map((part) => {
    const [first, last] = [memory.highest(part, WARM_UP, 0.325), memory.highest(part, 0.775, 1)];
    // Temporal and MongoDB bound their caches themselves, so their memory is printed but does not decide.
    const isOurs = part === 'api' || part === 'worker';
    const criterion = grows(`memory of ${part}, MiB`, first, last, 1.2, 32);
    return isOurs ? criterion : { ...criterion, name: `${criterion.name} (not judged)`, passed: true };
  });
}

function sampleCriteria(samples: readonly Sample[]): Criterion[] {
  const part = (from: number, to: number): Sample[] =>
    samples.slice(Math.floor(from * samples.length), Math.ceil(to * samples.length));
  const [first, last] = [part(WARM_UP, 0.325), part(0.775, 1)];
  const mean = (some: Sample[], of: (sample: Sample) => number): number =>
    Math.round((10 * some.reduce((sum, one) => sum + of(one), 0)) / some.length) / 10;
  const compare = (name: string, of: (sample: Sample) => number, slack: number): Criterion =>
    grows(name, mean(first, of), mean(last, of), 1.1, slack);
  return [
    compare('handles of the api', ({ handles }) => handles.api, 10),
    compare('handles of the worker', ({ handles }) => handles.worker, 10),
    compare('events of a round’s history', ({ historyEvents }) => historyEvents, 2),
  ];
}

/** The value may grow by `factor` or by `slack`, whichever allows more. */
function grows(name: string, first: number, last: number, factor: number, slack: number): Criterion {
  return {
    name: `${name}, does not grow`,
    passed: last <= Math.max(first * factor, first + slack),
    seen: `${first} in the first quarter, ${last} in the last`,
  };
}
