import { holdsGuard } from '../src/domain/round/replies';
import { givenBackHashes } from '../src/domain/round/transactions';
import type { RoundSnapshot } from '../src/domain/round/types';
import type { Recorded } from '../src/domain/round/known-entries';
import { toDocument, type RoundDocument } from '../src/read-model/rounds';
import { differences, type Difference } from './differences';

/** The fields in which a document of MongoDB differs from the record that the history says. */
export function fieldsThatDiffer(
  { snapshot, version }: Recorded,
  {
    delivery: _delivery,
    attemptAt: _attemptAt,
    idleAt: _idleAt,
    ...found
  }: RoundDocument & { holds?: unknown },
  environment: string,
): Difference[] {
  const waiting = snapshot.attention.length === 0 ? undefined : snapshot.attention;
  // An open round of a game that has moved to another provider may have lost its guard.
  const holds = holdsGuard(snapshot) ? found.holds : undefined;
  const expected = { ...toDocument(snapshot, version, environment), waiting, snapshot, holds };
  return differences(expected, {
    ...found,
    // The times of the marks are in no history.
    waiting: Array.isArray(found.waiting)
      ? found.waiting.map((one: unknown) => (Object(one) as { mark?: unknown }).mark)
      : found.waiting,
    snapshot: parsed(found.snapshot),
  });
}

/** The value of a JSON text. A text that was changed by hand may be no text, or no JSON: it is returned as a text. */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return JSON.stringify(text);
  try {
    return JSON.parse(text) as unknown;
    // eslint-disable-next-line no-restricted-syntax -- a text that is no JSON is a finding
  } catch {
    return text;
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
