import type { BenchPlayer, Seen } from './calls';
import { FiguresByName, type Figures } from './figures';

export type Round = (player: BenchPlayer, note: (figure: string, seen: Seen) => void) => Promise<void>;

export const spin: Round = async (player, note) => note('spin', await player.spin(0));

export const spinWithWin: Round = async (player, note) => note('spin with a win', await player.spin(700));

/** start, addWin, endGameRound: three calls. */
export const longRound: Round = async (player, note) => {
  const began = performance.now();
  const started = await player.start();
  note('  startGameRound', started);
  const gameRound = started.body.gameRoundInfo?.hash;
  if (started.status !== 200 || gameRound === undefined) return;
  note('  addWin', await player.win(gameRound, 700));
  const ended = await player.end(gameRound);
  note('  endGameRound', ended);
  note('start, addWin, endGameRound', { ...ended, ms: performance.now() - began });
};

/** The value of Retry-After in the service's responses. */
const RETRY_AFTER_MS = 1_000;

/** Every caller plays one round after another until the time is over. */
export async function playFor(
  seconds: number,
  players: readonly BenchPlayer[],
  round: Round,
  stopped?: AbortSignal,
): Promise<{ figures: Figures[]; seconds: number }> {
  const figures = new FiguresByName();
  const began = performance.now();
  const isOver = (): boolean => performance.now() - began > seconds * 1_000 || stopped?.aborted === true;
  const play = async (player: BenchPlayer): Promise<void> => {
    while (!isOver()) {
      let shed = false;
      await round(player, (name, seen) => {
        shed ||= seen.status === 429 || seen.status === 503;
        figures.add(name, seen.ms, seen.status);
      });
      if (shed) await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    }
  };
  await Promise.all(players.map(play));
  return { figures: figures.all, seconds: (performance.now() - began) / 1_000 };
}
