import { parseArgs } from 'node:util';
import { workflowIdOf } from '../src/contracts/gameround';
import { STAKE, takeSeat } from '../test/support/e2e-player';
import { compareBooks, runningRounds } from './books';
import { BenchPlayer, Caller, insist } from './calls';
import { Figures, judge, print, printLoad } from './figures';
import { runBench, startBenchStack } from './stack';

/*
 * `npm run bench -- long-round [--wins 1500]`: one round with `--wins` wins, one after another, then its end. Every win
 * is paid once. The last wins may be slower than the first by a bounded factor, and each history stays small.
 */

const WIN = 3;
/** Share of the wins at the beginning, and at the end, that are compared. */
const COMPARED = 0.1;
/** How many times slower the last wins may be. The record and the game state of a long round are larger. */
const MAX_SLOWDOWN = 3;
/** A game pauses after each group of wins. In one of these pauses the workflow continues as a new run. */
const PAUSE_EVERY = 100;
const PAUSE_MS = 1_500;

runBench(async (stopped) => {
  const { values } = parseArgs({ options: { wins: { type: 'string', default: '1500' } } });
  const wins = Number(values.wins);
  const stack = await startBenchStack();
  const caller = new Caller(stack.api, stack.provider, 1);
  try {
    printLoad('before');
    const player = new BenchPlayer(caller, await takeSeat(stack));
    const began = performance.now();
    const started = await player.start();
    const gameRound = started.body.gameRoundInfo?.hash ?? '';
    const handle = stack.temporal.workflow.getHandle(workflowIdOf(gameRound));
    const groups = {
      first: new Figures('first wins'),
      all: new Figures('all wins'),
      last: new Figures('last wins'),
    };
    let taken = 0;
    let largestHistory = 0;
    for (let index = 0; index < wins && !stopped.aborted; index += 1) {
      const { ms, status } = await insist(() => player.win(gameRound, WIN, `win-${index}`));
      if (status === 200) taken += 1;
      groups.all.add(ms, status);
      if (index < wins * COMPARED) groups.first.add(ms, status);
      if (index >= wins * (1 - COMPARED)) groups.last.add(ms, status);
      if (index % PAUSE_EVERY !== PAUSE_EVERY - 1) continue;
      largestHistory = Math.max(largestHistory, (await handle.describe()).historySize ?? 0);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    const ended = await insist(() => player.end(gameRound, 'end'));
    const seconds = (performance.now() - began) / 1_000;
    for (const figures of Object.values(groups)) print(figures.summary(seconds));
    printLoad('after');
    const running = await runningRounds(stack, 0, 60_000);
    const books = await compareBooks(stack, 'op1');
    const slowdown = groups.last.percentile(50) / groups.first.percentile(50);
    return judge([
      { name: 'every win was taken', passed: taken === wins, seen: `${taken} of ${wins}` },
      {
        name: 'all wins were paid at the end',
        passed: ended.body.amountCredited === wins * WIN && ended.body.gameRoundInfo?.status === 'closed',
        seen: `${String(ended.body.amountCredited)} on a stake of ${STAKE}`,
      },
      {
        name: 'record and ledger agree, and nothing runs',
        passed: books.differences.length === 0 && running === 0,
        seen: `${books.rounds} record, ${books.differences.length} differences, ${running} running`,
      },
      {
        name: `the last wins are less than ${MAX_SLOWDOWN} times as slow as the first`,
        passed: slowdown < MAX_SLOWDOWN,
        seen: `${slowdown.toFixed(2)} times`,
      },
      {
        name: 'no run of the workflow had a large history',
        passed: largestHistory < 16 * 1024 * 1024,
        seen: `${largestHistory} bytes`,
      },
    ]);
  } finally {
    await caller.close();
    await stack.close();
  }
});
