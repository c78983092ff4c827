import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Caller, seatPlayers } from './calls';
import { print, printLoad, type Summary } from './figures';
import { longRound, playFor, spin, spinWithWin, type Round } from './play';
import { runBench, startBenchStack } from './stack';

/* `npm run bench [-- --seconds 10 --json figures.json]`: latency with one caller, rounds per second with more. */

const WARM_UP_SECONDS = 5;
const PARTS: readonly [callers: number, round: Round][] = [
  [1, spin],
  [1, spinWithWin],
  [1, longRound],
  [8, spin],
  [32, spin],
  [8, longRound],
  [32, longRound],
];

runBench(async (stopped) => {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '10' }, json: { type: 'string' } },
  });
  const stack = await startBenchStack();
  try {
    const caller = new Caller(stack.api, stack.provider, 64);
    const players = await seatPlayers(stack, caller, 32);
    await playFor(WARM_UP_SECONDS, players.slice(0, 4), spin, stopped);
    const before = printLoad('before');
    const all: (Summary & { callers: number })[] = [];
    for (const [callers, round] of PARTS) {
      const played = await playFor(Number(values.seconds), players.slice(0, callers), round, stopped);
      for (const figure of played.figures) {
        const summary = { ...figure.summary(played.seconds), callers };
        print({ ...summary, name: `${String(callers).padStart(2)} callers  ${summary.name}` });
        all.push(summary);
      }
    }
    const after = printLoad('after');
    if (values.json !== undefined) {
      await writeFile(values.json, `${JSON.stringify({ load: { before, after }, figures: all }, null, 2)}\n`);
    }
    await caller.close();
    return all.every(({ statuses }) => Object.keys(statuses).every((status) => status === '200'));
  } finally {
    await stack.close();
  }
});
