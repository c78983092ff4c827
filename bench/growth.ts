import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { takeSeat } from '../test/support/e2e-player';
import type { E2eStack } from '../test/support/e2e-stack';
import { BenchPlayer, Caller, type Seen } from './calls';
import { FiguresByName, judge, print, printLoad, type Figures } from './figures';
import { openRounds } from './many-rounds';
import { residentMib } from './memory';
import { runBench, startBenchStack } from './stack';

/*
 * `npm run bench -- growth [--records 1000000 --open 10000 --seconds 10]`: measures start, end, reads and lists with empty
 * stores. Then it writes so many closed records into MongoDB directly and opens so many rounds, and measures again. Prints
 * also the memory for each open round, and the time until the restarted service answers.
 */

/** How many times as long a call may take with full stores. */
const MAX_GROWTH = 1.3;
const BATCH = 5_000;
/** Closed rounds of each player that is written directly. */
const ROUNDS_PER_PLAYER = 100;
const DAY_MS = 86_400_000;
const CALLERS = 16;

runBench(async (stopped) => {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '1000000' },
      open: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '10' },
    },
  });
  const [records, rounds, seconds] = [values.records, values.open, values.seconds].map(Number) as [
    number,
    number,
    number,
  ];
  const stack = await startBenchStack({ shape: 'service', bareWallet: true });
  const caller = new Caller(stack.api, stack.provider, 64);
  try {
    printLoad('before');
    await measure(stack, caller, 2, stopped);
    const empty = await measure(stack, caller, seconds, stopped);
    const memoryBefore = await residentMib(stack.pid('service')!);
    const { open } = await openRounds(stack, caller, rounds, CALLERS, stopped);
    const memoryAfter = await residentMib(stack.pid('service')!);
    await fill(stack, records, stopped);

    const began = performance.now();
    await stack.stop('service');
    await stack.start(['service']);
    await stack.ready();
    const readyMs = performance.now() - began;
    const first = await open[0]?.player.end(open[0].gameRound);
    const answeredMs = performance.now() - began;
    await measure(stack, caller, 2, stopped);
    const full = await measure(stack, caller, seconds, stopped);

    for (const [name, all] of [
      ['empty', empty],
      ['full', full],
    ] as const)
      for (const figures of all) print({ ...figures.summary(seconds), name: `${name}: ${figures.name}` });
    printLoad('after');
    const perRound = ((memoryAfter - memoryBefore) * 1_024) / Math.max(rounds, 1);
    console.log(
      `memory of the service: ${memoryBefore.toFixed(0)} MiB before, ${memoryAfter.toFixed(0)} MiB with ${open.length} open rounds: ${perRound.toFixed(1)} KiB each`,
    );
    console.log(
      `restarted with ${open.length} open rounds: ready after ${(readyMs / 1_000).toFixed(1)} s, the first command answered ${first?.status} after ${(answeredMs / 1_000).toFixed(1)} s`,
    );
    return judge(
      empty.map((before) => {
        const after = full.find(({ name }) => name === before.name);
        const growth = (after?.percentile(50) ?? NaN) / before.percentile(50);
        return {
          name: `${before.name} with ${records} closed and ${rounds} open rounds`,
          passed: growth <= MAX_GROWTH,
          seen: `${growth.toFixed(2)} × empty (at most ${MAX_GROWTH})`,
        };
      }),
    );
  } finally {
    await caller.close();
    await stack.close();
  }
});

/** A new player makes each call in turn until the time is over. */
async function measure(
  stack: E2eStack,
  caller: Caller,
  seconds: number,
  stopped: AbortSignal,
): Promise<Figures[]> {
  const seat = await takeSeat(stack);
  const player = new BenchPlayer(caller, seat);
  const { token } = seat;
  const figures = new FiguresByName();
  const note = (name: string, { ms, status }: Seen): void => figures.add(name, ms, status);
  const began = performance.now();
  while (performance.now() - began < seconds * 1_000 && !stopped.aborted) {
    const started = await player.start();
    note('startGameRound', started);
    const gameRound = started.body.gameRoundInfo?.hash ?? '';
    note('endGameRound', await player.end(gameRound));
    note('getGameRoundInfo', await player.info(gameRound));
    note('getLastGameRounds', await caller.call('/getLastGameRounds', { token, maxRecords: 1 }));
    note('getOpenGameRounds', await caller.call('/getOpenGameRounds', { token }));
    const list = { gameCode: stack.gameCode, maxRecords: 1 };
    note('getOpenGameRoundsByGame', await caller.call('/getOpenGameRoundsByGame', list));
  }
  return figures.all;
}

/** Copies a closed record under other names. */
async function fill(stack: E2eStack, count: number, stopped: AbortSignal): Promise<void> {
  const collection = stack.db.collection<{ _id: string; status: string }>('gamerounds');
  const record = await collection.findOne({ status: 'closed' });
  if (record === null) throw new Error('no closed round to copy');
  const now = Date.now();
  for (let written = 0; written < count && !stopped.aborted; written += BATCH) {
    const copies = Array.from({ length: Math.min(BATCH, count - written) }, (_, index) => {
      const hash = randomUUID();
      const at = new Date(now - Math.random() * 90 * DAY_MS);
      const player = `filled-${Math.floor((written + index) / ROUNDS_PER_PLAYER)}`;
      return { ...record, _id: hash, hash, player, openedAt: at, closedAt: at };
    });
    await collection.insertMany(copies, { ordered: false, writeConcern: { w: 1, journal: false } });
    if ((written / BATCH) % 20 === 0) console.log(`filled: ${written + copies.length}`);
  }
}
