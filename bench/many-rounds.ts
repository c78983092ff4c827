import { launch } from '../test/support/e2e-player';
import type { E2eStack } from '../test/support/e2e-stack';
import { BenchPlayer, insist, type Caller, type Seen } from './calls';
import { Figures } from './figures';

export interface OpenRound {
  player: BenchPlayer;
  gameRound: string;
}

/** Opens rounds that stay open, each for another player. */
export async function openRounds(
  stack: E2eStack,
  caller: Caller,
  count: number,
  callers: number,
  stopped: AbortSignal,
): Promise<{ open: OpenRound[]; figures: Figures; seconds: number }> {
  const open: OpenRound[] = [];
  const opening = await inParallel(stopped, callers, count, 'opening', async () => {
    const player = new BenchPlayer(caller, await sit(stack));
    const seen = await insist(() => player.start({ winAmount: 700, roundId: 'open' }));
    const gameRound = seen.body.gameRoundInfo?.hash;
    if (seen.status === 200 && gameRound !== undefined) open.push({ player, gameRound });
    return seen;
  });
  return { open, ...opening };
}

/** Opens a session with one call: the first signed call turns the launch token into the session's token. */
async function sit(stack: E2eStack): Promise<{ token: string; playerId: string; operatorId: string }> {
  const playerId = `player-${Math.random().toString(36).slice(2)}`;
  const answer = await launch(stack, 'op1', playerId);
  const token = new URL(String(answer.body.url)).searchParams.get('token') ?? '';
  return { token, playerId, operatorId: 'op1' };
}

/** Runs the work so many times, by so many callers at once. */
export async function inParallel(
  stopped: AbortSignal,
  callers: number,
  count: number,
  name: string,
  work: () => Promise<Seen>,
): Promise<{ figures: Figures; seconds: number }> {
  const figures = new Figures(name);
  const began = performance.now();
  let left = count;
  const go = async (): Promise<void> => {
    while (left > 0 && !stopped.aborted) {
      left -= 1;
      const { ms, status } = await work();
      figures.add(ms, status);
      if (figures.count % 500 === 0) console.log(`${name}: ${figures.count}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, go));
  return { figures, seconds: (performance.now() - began) / 1_000 };
}
