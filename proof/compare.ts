import { holdsGuard } from '../src/domain/round/replies';
import { givenBackHashes } from '../src/domain/round/transactions';
import type { RoundSnapshot } from '../src/domain/round/types';
import type { Recorded } from '../src/domain/round/known-entries';
import { toDocument, type RoundDocument } from '../src/read-model/rounds';
import { differences, type Difference } from './differences';

/** The fields in which a document of MongoDB differs from the record that the history says. */
export function fieldsThatDiffer(
  { snapshot, version }: Recorded,
  { delivery: _delivery, attemptAt: _attemptAt, ...found }: RoundDocument & { holds?: unknown },
  environment: string,
): Difference[] {
  const waiting = snapshot.attention.length === 0 ? undefined : snapshot.attention;
  // An open round of a game that has moved to another provider may have lost its guard.
  const holds = holdsGuard(snapshot) ? found.holds : undefined;
  const expected = { ...toDocument(snapshot, version, environment), waiting, snapshot, holds };
  return differences(expected, {
    ...found,
    // The times of the marks are in no history.
    waiting: found.waiting?.map(({ mark }) => mark),
    snapshot: jsonIn(found.snapshot),
  });
}

/** A snapshot that was changed by hand may be no JSON. */
export function jsonIn(snapshot: unknown): unknown {
  try {
    return JSON.parse(String(snapshot)) as unknown;
    // eslint-disable-next-line no-restricted-syntax -- a text that is no JSON is a finding
  } catch {
    return snapshot;
  }
}

/** Sums of an operator in a currency, in minor units. They may be greater than a number can hold exactly. */
export interface Total {
  operator: string;
  currency: string;
  rounds: number;
  /** Accepted debits, whether they were given back or not. */
  debits: bigint;
  credits: bigint;
  /** Accepted debits that an accepted void has given back. */
  voids: bigint;
}

export type Totals = Map<string, Total>;

export function addTo(totals: Totals, { identity, transactions }: RoundSnapshot): void {
  const { operatorId: operator, currency } = identity;
  const key = `${operator}#${currency}`;
  const total = totals.get(key) ?? { operator, currency, rounds: 0, debits: 0n, credits: 0n, voids: 0n };
  totals.set(key, total);
  total.rounds += 1;
  const givenBack = givenBackHashes(transactions);
  for (const { type, hash, amount = 0, outcome } of transactions) {
    if (outcome !== 'accepted') continue;
    if (type === 'credit') total.credits += BigInt(amount);
    if (type !== 'debit') continue;
    total.debits += BigInt(amount);
    if (givenBack.has(hash)) total.voids += BigInt(amount);
  }
}

/** What the players have lost: debits without voids and credits. */
export function netOf({ debits, credits, voids }: Total): bigint {
  return debits - voids - credits;
}
