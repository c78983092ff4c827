import type { RoundSnapshot, RoundState } from './types';

/** The two long lists of a round. */
type Lists = Pick<RoundState, 'transactions' | 'gameState'>;

/** How many entries at the start of each list are left out, and the version of the record that holds them. */
export interface KnownEntries {
  transactions: number;
  gameState: number;
  version: number;
}

/** The last written record of a round. */
export interface Recorded {
  snapshot: RoundSnapshot;
  version: number;
}

/**
 * The versions of the record that a run has written: all up to `upTo`, the last one known to be written, and those in
 * `also`, which may have been written since. A record with another version was written by an unknown run.
 */
export interface OwnVersions {
  upTo: number;
  also: number[];
}

export function isOwn({ upTo, also }: OwnVersions, version: number): boolean {
  return version <= upTo || also.includes(version);
}

/** A shorter list is sent as a whole, so that its record can be written without reading it first. */
const FEWEST_LEFT_OUT = 16;

/**
 * The round without the entries that its record (`recorded`, the last written one) already holds. Otherwise the history of a
 * long round would grow with the square of its length.
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

/** Whether entries are left out, so that the record is needed. */
export function leavesOut({ transactions, gameState }: KnownEntries): boolean {
  return transactions > 0 || gameState > 0;
}

/** Adds the left-out entries, if there are any, from the record again. Undefined if the record has another version than `known`. */
export function withKnown<Round extends Lists>(
  round: Round,
  known: KnownEntries,
  recorded: Recorded | undefined,
): Round | undefined {
  if (!leavesOut(known)) return round;
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
