import { randomUUID } from 'node:crypto';
import { playerOf, type Player } from './player';
import type { RoundsHarness } from './rounds-harness';

/** The private parts of one test: its own player, and faults that meet only this player. */
export interface Scene {
  player: Player;
  /** Id for the scene's first round. */
  roundId: string;
  /** Adds faults for the player's next calls with a transaction of this type, in this order. */
  on: (type: 'debit' | 'credit' | 'end' | 'void' | undefined, ...faults: object[]) => Promise<void>;
}

type Scenario = (name: string, run: (scene: Scene) => Promise<void>) => void;

/** How many scenarios run at a time. More would slow each other down on a small machine. */
const AT_A_TIME = 12;

/**
 * Runs tests at the same time that mostly wait for retries and time-outs. Jest reports each as its own test. `get`
 * returns the harness after the file's own beforeAll has started it.
 */
export function sideBySide(get: () => RoundsHarness, describe: (scenario: Scenario) => void): void {
  const waiting: [name: string, run: (scene: Scene) => Promise<void>][] = [];
  const outcomes = new Map<string, Promise<void>>();
  describe((name, run) => waiting.push([name, run]));

  beforeAll(async () => {
    const left = waiting.values();
    const work = async (): Promise<void> => {
      for (const [name, run] of left) {
        const outcome = run(newScene(get()));
        outcomes.set(name, outcome);
        await outcome.catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  }, 180_000);

  test.each(waiting)('%s', (name) => outcomes.get(name));
}

function newScene(harness: RoundsHarness): Scene {
  const player = playerOf(harness);
  const { playerId } = player.session;
  return {
    player,
    roundId: randomUUID(),
    on: async (type, ...faults) => {
      for (const fault of faults) await harness.fault({ ...fault, match: { type, playerId } });
    },
  };
}
