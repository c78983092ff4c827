import { parseArgs } from 'node:util';
import { takeSeat } from '../test/support/e2e-player';
import { compareBooks, runningRounds } from './books';
import { judge, print, printLoad } from './figures';
import { replaceUnderPlay } from './rollover';
import { runBench, startBenchStack } from './stack';

/* `npm run bench -- rolling [--times 3 --players 8]`: replaces two APIs and two workers in turn while players play. */

runBench(async () => {
  const { values } = parseArgs({
    options: { times: { type: 'string', default: '3' }, players: { type: 'string', default: '8' } },
  });
  const stack = await startBenchStack();
  try {
    const seats = await Promise.all(Array.from({ length: Number(values.players) }, () => takeSeat(stack)));
    printLoad('before');
    const began = performance.now();
    const { figures, failed, passedOn, askedAgain, rounds } = await replaceUnderPlay(
      stack,
      seats,
      Number(values.times),
      (line) => console.log(line),
    );
    const seconds = (performance.now() - began) / 1_000;
    figures.forEach((figure) => print(figure.summary(seconds)));
    printLoad('after');
    const running = await runningRounds(stack, 0, 60_000);
    const books = await compareBooks(stack, 'op1');
    return judge([
      {
        name: 'no call failed',
        passed: failed.length === 0 && askedAgain === 0 && rounds > 0,
        seen: `${failed.length} of the calls of ${rounds} rounds; ${askedAgain} got 503 and were repeated; ${passedOn} were repeated after a closed connection ${failed.slice(0, 3).join('; ')}`,
      },
      { name: 'no bet was voided', passed: books.voids === 0, seen: `${books.voids} voids` },
      {
        name: 'records and ledger agree, and every round is over',
        passed: books.differences.length === 0 && running === 0 && books.byStatus.closed === books.rounds,
        seen: `${books.rounds} rounds ${JSON.stringify(books.byStatus)}, ${running} running, ${books.differences.length} differences`,
      },
    ]);
  } finally {
    await stack.close();
  }
});
