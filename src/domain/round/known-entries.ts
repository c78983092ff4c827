import type { RoundSnapshot, RoundState } from './types';

/** What has the two long lists of a round. */
type Lists = Pick<RoundState, 'transactions' | 'gameState'>;

/** How many entries at the beginning of each list of a round are left out, and the version of the record that has them. */
export interface KnownEntries {
  transactions: number;
  gameState: number;
  version: number;
}

/** What was last written of a round. */
export interface Recorded {
  snapshot: RoundSnapshot;
  version: number;
}

/**
 * The versions that a run has given to its record: all up to the last one that is known to be written, and those that may
 * have been since. A record with another one was written by a run that is not known here.
 */
export interface OwnVersions {
  upTo: number;
  also: number[];
}

export function isOwn({ upTo, also }: OwnVersions, version: number): boolean {
  return version <= upTo || also.includes(version);
}

/** A shorter list goes as a whole: its record is written without being read first. */
const FEWEST_LEFT_OUT = 16;

/**
 * A round as it is sent to its record: without the entries that stand there already, or the history of a long round
 * would grow with the square of its length. `recorded` is what was last written.
 */
export function withoutKnown<Round extends Lists>(
  round: Round,
  recorded: Recorded | undefined,
): { round: Round; known: KnownEntries } {
  const known = {
    transactions: sameAtFirst(round.transactions, recorded?.snapshot.transactions),
    gameState: sameAtFirst(round.gameState, recorded?.snapshot.gameState),
    version: recorded?.version ?? 0,
  };
  return {
    known,
    round: {
      ...round,
      transactions: round.transactions.slice(known.transactions),
      gameState: round.gameState.slice(known.gameState),
    },
  };
}

/** The round as a whole again; undefined when the record is not the one that was left out from. */
export function withKnown<Round extends Lists>(
  round: Round,
  known: KnownEntries,
  recorded: Recorded | undefined,
): Round | undefined {
  if (recorded?.version !== known.version) return undefined;
  const { transactions, gameState } = recorded.snapshot;
  return {
    ...round,
    transactions: [...transactions.slice(0, known.transactions), ...round.transactions],
    gameState: [...gameState.slice(0, known.gameState), ...round.gameState],
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
