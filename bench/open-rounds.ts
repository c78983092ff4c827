import { parseArgs } from 'node:util';
import { MAX_CACHED_ROUNDS } from '../worker/worker';
import { compareBooks, runningRounds } from './books';
import { Caller, insist } from './calls';
import { judge, print, printLoad } from './figures';
import { inParallel, openRounds } from './many-rounds';
import { residentMib } from './memory';
import { runBench, startBenchStack } from './stack';

/*
 * `npm run bench -- open-rounds [--rounds 10000 --callers 16]`: opens `--rounds` rounds at the same time, each for
 * another player, replaces the worker, and then ends all rounds. Prints how much of the worker's memory they take.
 */

runBench(async (stopped) => {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '10000' }, callers: { type: 'string', default: '16' } },
  });
  const count = Number(values.rounds);
  const stack = await startBenchStack();
  const caller = new Caller(stack.api, stack.provider, 64);
  try {
    printLoad('before');
    const empty = await residentMib(stack.pid('worker')!);
    const { open, ...opening } = await openRounds(stack, caller, count, Number(values.callers), stopped);
    const before = await runningRounds(stack, 0, 0);
    const full = await residentMib(stack.pid('worker')!);
    const each = ((full - empty) * 1_024) / Math.min(count, MAX_CACHED_ROUNDS);
    console.log(
      `the worker: ${empty.toFixed(0)} MiB before, ${full.toFixed(0)} MiB now, ${each.toFixed(0)} KiB for each round in its cache`,
    );
    console.log(`${before} rounds run; replacing the worker`);
    await stack.stop('worker');
    await stack.start(['worker']);
    await stack.ready();

    const waiting = [...open];
    let ended = 0;
    const ending = await inParallel(stopped, Number(values.callers), open.length, 'ending', async () => {
      const { player, gameRound } = waiting.shift()!;
      const seen = await insist(() => player.end(gameRound, 'end'));
      if (seen.body.gameRoundInfo?.status === 'closed') ended += 1;
      return seen;
    });
    for (const { figures, seconds } of [opening, ending]) print(figures.summary(seconds));
    printLoad('after');
    const running = await runningRounds(stack, 0, 120_000);
    const books = await compareBooks(stack, 'op1');
    return judge([
      { name: 'all were open at once', passed: open.length === count && before === count, seen: `${before}` },
      {
        name: 'all could be ended',
        passed: ended === count && running === 0,
        seen: `${ended} ended, ${running} running`,
      },
      {
        name: 'records and ledger agree',
        passed: books.differences.length === 0 && books.byStatus.closed === count && books.voids === 0,
        seen: `${books.rounds} records ${JSON.stringify(books.byStatus)}, ${books.voids} voids, ${books.differences.length} differences`,
      },
    ]);
  } finally {
    await caller.close();
    await stack.close();
  }
});
