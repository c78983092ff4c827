import type { Evidence, RoundEvidence, WalletCall } from '../evidence';

export interface Violation {
  /** The round it is about, where it is about one. */
  gameround?: string;
  what: string;
}

/** One of the promises, held against everything that is known. */
export interface Checked {
  id: string;
  promise: string;
  /** How many things were looked at. */
  examined: number;
  violations: Violation[];
}

/** Judges each round by itself: the list of what is wrong with it, or undefined where it has nothing to say. */
export function perRound(
  id: string,
  promise: string,
  rounds: Iterable<RoundEvidence>,
  judge: (round: RoundEvidence) => string[] | undefined,
): Checked {
  const checked: Checked = { id, promise, examined: 0, violations: [] };
  for (const round of rounds) {
    const wrong = judge(round);
    if (wrong === undefined) continue;
    checked.examined += 1;
    for (const what of wrong) checked.violations.push({ gameround: round.gameround, what });
  }
  return checked;
}

export const nameOf = ({ type, hash }: { type: string; hash: string }): string => `${type} ${hash}`;

export type Check = (evidence: Evidence) => Checked | Promise<Checked>;

/** The wallet has refused the call, and whoever sent it was still there. */
export function isRefusal({ status, clientLeft }: WalletCall): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && clientLeft === undefined;
}
