import { parseArgs } from 'node:util';
import { compareBooks, runningRounds } from './books';
import { Caller, seatPlayers, type BenchPlayer, type Seen } from './calls';
import { Figures, judge, print, printLoad } from './figures';
import { MemorySamples } from './memory';
import { playFor, spin, spinWithWin } from './play';
import { runBench, startBenchStack } from './stack';

/*
 * `npm run bench -- overload [--minutes 5 --factor 2]`: many players send more than the service can carry. The service
 * has to refuse the rest, answer the calls that it accepts, keep its memory, lose nothing, and recover within a minute.
 */

const MEASURE_SECONDS = 15;
const MEASURE_CALLERS = 16;
/** A player makes one call at a time. With players for this many seconds of calls, one is always free. */
const SECONDS_OF_PLAYERS = 12;
const RECOVERY_MS = 60_000;
const SETTLE_MS = 120_000;

runBench(async (stopped) => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '5' }, factor: { type: 'string', default: '2' } },
  });
  const stack = await startBenchStack();
  try {
    const caller = new Caller(stack.api, stack.provider, 1_024);
    const first = await seatPlayers(stack, caller, MEASURE_CALLERS);
    await playFor(5, first, spin, stopped);
    printLoad('before');
    const alone = await playFor(5, first.slice(0, 1), spinWithWin, stopped);
    const calm = alone.figures[0]?.percentile(95) ?? 0;
    const carried = await playFor(MEASURE_SECONDS, first, spinWithWin, stopped);
    carried.figures.forEach((figure) => print(figure.summary(carried.seconds)));
    const capacity = (carried.figures[0]?.statuses[200] ?? 0) / carried.seconds;
    const rate = capacity * Number(values.factor);
    const count = Math.ceil(rate * SECONDS_OF_PLAYERS) + MEASURE_CALLERS;
    const players = [...first, ...(await seatPlayers(stack, caller, count - first.length))];
    console.log(
      `carries ${capacity.toFixed(1)} rounds/s; ${rate.toFixed(1)}/s follow, from ${count} players`,
    );

    const memory = new MemorySamples(stack, ['api', 'worker']);
    const crowd = await press(players, rate, Number(values.minutes) * 60, stopped);
    memory.stop();
    print(crowd.figures.summary(crowd.seconds));
    printLoad('after');
    const recoveredMs = await recovered(first[0]!, calm);
    const running = await runningRounds(stack, 0, SETTLE_MS);
    const books = await compareBooks(stack, 'op1');
    const served = crowd.accepted.length / crowd.seconds;
    const lost = await notClosed(stack.db.collection('gamerounds'), crowd.accepted);
    await caller.close();
    return judge([
      {
        name: 'calls that were not accepted were refused with 429 or 503 and Retry-After',
        passed: crowd.shed > 0 && crowd.others.length === 0,
        seen: `${crowd.shed} refused this way, others: ${JSON.stringify([...new Set(crowd.others)].slice(0, 5))}`,
      },
      {
        name: 'it served at least half of its capacity without overload',
        passed: served >= capacity / 2,
        seen: `${served.toFixed(1)} rounds/s`,
      },
      ...(['api', 'worker'] as const).map((part) => {
        const [early, late] = [memory.highest(part, 0.1, 0.5), memory.highest(part, 0.75, 1)];
        return {
          name: `memory of the ${part} stays`,
          passed: late <= early * 1.2 + 32,
          seen: `${early} MiB in the first half, ${late} MiB in the last quarter`,
        };
      }),
      {
        name: 'no money command that was accepted is lost',
        passed: lost === 0 && running === 0 && books.differences.length === 0,
        seen:
          `${crowd.accepted.length} accepted, ${lost} of them not closed, ${running} rounds still running; ` +
          `${books.rounds} records ${JSON.stringify(books.byStatus)}, ${books.voids} voids, ` +
          `differences from the ledger: ${books.differences.length} ${books.differences.slice(0, 3).join('; ')}`,
      },
      {
        name: 'it recovers within a minute',
        passed: recoveredMs !== undefined,
        seen: recoveredMs === undefined ? 'it did not' : `after ${Math.round(recoveredMs / 100) / 10} s`,
      },
    ]);
  } finally {
    await stack.close();
  }
});

interface Crowd {
  figures: Figures;
  seconds: number;
  /** Rounds that were answered with 200. */
  accepted: string[];
  shed: number;
  others: string[];
}

/** Starts `rate` rounds a second, without waiting for earlier ones. */
async function press(
  players: readonly BenchPlayer[],
  rate: number,
  seconds: number,
  stopped: AbortSignal,
): Promise<Crowd> {
  const crowd: Crowd = {
    figures: new Figures('spins under overload'),
    seconds,
    accepted: [],
    shed: 0,
    others: [],
  };
  const free = [...players];
  const going = new Set<Promise<void>>();
  const began = performance.now();
  const play = async (player: BenchPlayer): Promise<void> => {
    note(crowd, await player.spin(700));
    free.push(player);
  };
  for (let nextAt = began; nextAt - began < seconds * 1_000 && !stopped.aborted; nextAt += 1_000 / rate) {
    await until(nextAt);
    const player = free.shift();
    if (player === undefined) continue;
    const round = play(player).finally(() => going.delete(round));
    going.add(round);
  }
  crowd.seconds = (performance.now() - began) / 1_000;
  await Promise.all(going);
  return crowd;
}

async function until(at: number): Promise<void> {
  const pause = at - performance.now();
  if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
}

function note(crowd: Crowd, { status, ms, body, retryAfter }: Seen): void {
  crowd.figures.add(ms, status);
  if (status === 200) crowd.accepted.push(body.gameRoundInfo?.hash ?? '');
  else if ((status === 429 || status === 503) && retryAfter !== undefined) crowd.shed += 1;
  else crowd.others.push(`${status} ${body.errorCode?.msg ?? JSON.stringify(body)}`);
}

/** Milliseconds until five spins in a row were about as fast as before. Undefined if that takes too long. */
async function recovered(player: BenchPlayer, calmMs: number): Promise<number | undefined> {
  const began = performance.now();
  for (let good = 0; performance.now() - began < RECOVERY_MS;) {
    const { status, ms } = await player.spin(0);
    good = status === 200 && ms <= Math.max(2 * calmMs, 500) ? good + 1 : 0;
    if (good === 5) return performance.now() - began;
  }
  return undefined;
}

interface Counts {
  countDocuments(query: object): Promise<number>;
}

async function notClosed(records: Counts, gameRounds: readonly string[]): Promise<number> {
  const closed = await records.countDocuments({ _id: { $in: gameRounds }, status: 'closed' });
  return gameRounds.length - closed;
}
