import type { Evidence, RoundEvidence, WalletCall } from '../evidence';

export interface Violation {
  /** Undefined if the violation is not about one round. */
  gameround?: string | undefined;
  what: string;
}

/** The result of one check: a promise, and the violations that the evidence shows. */
export interface Checked {
  id: string;
  promise: string;
  /** Number of rounds, commands or other items that were checked. */
  examined: number;
  violations: Violation[];
}

/** Checks each round by itself. `judge` returns the errors, or undefined if the check does not apply to the round. */
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

/** The wallet has refused the call for certain, and the sender was still connected. */
export function isRefusal({ status, clientLeft }: WalletCall): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && clientLeft === undefined;
}
