import type { RoundSnapshot } from './types';

/** How many entries at the beginning of each list of a round are left out. */
export interface KnownEntries {
  transactions: number;
  gameState: number;
}

/** A shorter list goes as a whole: its record is written without being read first. */
const FEWEST_LEFT_OUT = 16;

/**
 * A round as it is sent to its record: without the entries that stand there already, or the history of a long round
 * would grow with the square of its length. `recorded` is what was last written.
 */
export function withoutKnown(
  snapshot: RoundSnapshot,
  recorded: RoundSnapshot | undefined,
): { snapshot: RoundSnapshot; known: KnownEntries } {
  const known = {
    transactions: sameAtFirst(snapshot.transactions, recorded?.transactions),
    gameState: sameAtFirst(snapshot.gameState, recorded?.gameState),
  };
  return {
    known,
    snapshot: {
      ...snapshot,
      transactions: snapshot.transactions.slice(known.transactions),
      gameState: snapshot.gameState.slice(known.gameState),
    },
  };
}

/** The round as a whole again; undefined when the record holds less than was left out. */
export function withKnown(
  snapshot: RoundSnapshot,
  known: KnownEntries,
  recorded: RoundSnapshot | undefined,
): RoundSnapshot | undefined {
  const transactions = recorded?.transactions.slice(0, known.transactions) ?? [];
  const gameState = recorded?.gameState.slice(0, known.gameState) ?? [];
  if (transactions.length < known.transactions || gameState.length < known.gameState) return undefined;
  return {
    ...snapshot,
    transactions: [...transactions, ...snapshot.transactions],
    gameState: [...gameState, ...snapshot.gameState],
  };
}

function sameAtFirst<T>(entries: readonly T[], recorded: readonly T[] = []): number {
  const differs = entries.findIndex((entry, index) => !isSame(entry, recorded[index]));
  const same = differs === -1 ? entries.length : differs;
  return same < FEWEST_LEFT_OUT ? 0 : same;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
